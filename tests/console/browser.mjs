// One browser for all console tests of a run of ctest.
//
// `node browser.mjs start FILE` starts it and writes its address and process id to FILE, `node
// browser.mjs stop FILE` ends it. ctest calls them before the first and after the last console test
// (CMakeLists.txt). The browser also ends by itself when the process that called start is gone.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium, launchOptions } from './chromium.mjs';

const limitMs = 120_000;

async function until(check) {
  for (const deadline = Date.now() + limitMs; !check(); await sleep(50)) {
    if (Date.now() > deadline) throw new Error(`not done within ${limitMs} ms`);
  }
}

function runs(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function pidIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).pid;
}

async function start(file) {
  rmSync(file, { force: true });
  const program = fileURLToPath(import.meta.url);
  const keeper = spawn(process.execPath, [program, 'serve', file, process.ppid], {
    detached: true,
    stdio: 'ignore',
  });
  await until(() => existsSync(file) || keeper.exitCode !== null);
  if (!existsSync(file)) throw new Error(`no browser: the process ended with ${keeper.exitCode}`);
  keeper.unref();
}

async function serve(file, caller) {
  const server = await chromium.launchServer({ ...launchOptions(), handleSIGTERM: false });
  let wanted = true;
  process.once('SIGTERM', () => (wanted = false));
  const made = `${file}.new`;
  writeFileSync(made, JSON.stringify({ address: server.wsEndpoint(), pid: process.pid }));
  renameSync(made, file);
  while (wanted && runs(caller)) await sleep(200);
  await server.close();
  // Another run of ctest may have begun in the same folder.
  if (existsSync(file) && pidIn(file) === process.pid) rmSync(file);
}

async function stop(file) {
  process.kill(pidIn(file), 'SIGTERM');
  await until(() => !existsSync(file));
}

const [action, file, caller] = process.argv.slice(2);
await { start, serve, stop }[action](file, Number(caller));
