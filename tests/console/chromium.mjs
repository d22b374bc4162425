// The browser of the console tests and how it is started.
import { createRequire } from 'node:module';

// ./dev installs the packages of the console, the browser's driver among them, in web/.
export const packageOf = createRequire(new URL('../../web/package.json', import.meta.url));
export const { chromium } = packageOf('playwright-core');

/** Flags: no sandbox for root, and no connections of its own. */
export function launchOptions(flags = []) {
  return {
    executablePath: process.env.LAUREL_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  };
}
