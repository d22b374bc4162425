// What the drivers of /openapi.json share: fetching the document, and running npm's programs on it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const base = process.env.LAUREL_HTTP;
const modules = resolve(process.env.LAUREL_MODULES, 'node_modules');

// A new folder with the document of the server as openapi.json, and the packages as node_modules. It
// goes when the process ends.
export async function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'laurel-openapi-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const answer = await fetch(`${base}/openapi.json`);
  if (answer.status !== 200) throw new Error(`/openapi.json: status ${answer.status}`);
  writeFileSync(join(folder, 'openapi.json'), await answer.text());
  symlinkSync(modules, join(folder, 'node_modules'));
  return folder;
}

// Runs a program of a package in the folder. Ends the process if the program fails.
export function run(folder, program, ...words) {
  const script = program.includes('/') ? program : join(modules, '.bin', program);
  const result = spawnSync(process.execPath, [script, ...words], { cwd: folder, encoding: 'utf8' });
  process.stdout.write(result.stdout ?? '');
  process.stderr.write(result.stderr ?? '');
  if (result.status === 0) return;
  console.error(`${program} ${words.join(' ')}: ended with ${result.status ?? result.error}`);
  process.exit(1);
}
