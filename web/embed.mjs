// Writes the built console (build/console/dist) as a C++ source, build/console/console_assets.cc,
// which CMake compiles into the program. src/server/http/console_assets.h has the contract of the
// table. The source is written only if it changes, so that an unchanged console compiles nothing.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('../build/console/', import.meta.url));
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

// The server has the routes / and /assets/{file}, so a file elsewhere could not be reached.
function paths() {
  const found = [];
  for (const item of readdirSync(`${FOLDER}dist`, { withFileTypes: true })) {
    if (item.isFile() && item.name === 'index.html') {
      found.push(item.name);
    } else if (item.isDirectory() && item.name === 'assets') {
      for (const asset of readdirSync(`${FOLDER}dist/assets`, { withFileTypes: true })) {
        if (!asset.isFile()) throw new Error(`dist/assets/${asset.name} is not a file`);
        found.push(`assets/${asset.name}`);
      }
    } else {
      throw new Error(`dist/${item.name} has no route: only index.html and assets/ have one`);
    }
  }
  if (!found.includes('index.html')) throw new Error('dist/index.html is missing');
  const odd = found.find((path) => !/^[\w./-]+$/.test(path));
  if (odd) throw new Error(`dist/${odd} has a name that would need escapes`);
  return found.sort();
}

// A string literal compiles about six times faster than an array of numbers. Escapes have three
// octal digits, so that a digit after one is not taken as part of it.
function literal(bytes) {
  let text = '';
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
    text += isPlain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `{"${text}", ${bytes.length}}`;
}

function row(path) {
  const type = TYPES[extname(path)];
  if (!type) throw new Error(`${path}: embed.mjs knows no content type for ${extname(path)}`);
  const plain = readFileSync(`${FOLDER}dist/${path}`);
  const packed = gzipSync(plain, { level: 9 });
  packed[9] = 255; // the operating system, which differs between machines: unknown
  const gzip = packed.length < plain.length ? packed : Buffer.alloc(0);
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  const cells = [`"${path}"`, `"${type}"`, `"${version}"`, literal(plain), literal(gzip)];
  return `    {${cells.join(',\n     ')}},\n`;
}

const source = `// Written by web/embed.mjs from the files of build/console/dist.
#include "server/http/console_assets.h"

namespace laurel::server {
namespace {

constexpr ConsoleAsset kAssets[] = {
${paths().map(row).join('')}};

}  // namespace

std::span<const ConsoleAsset> ConsoleAssets() { return kAssets; }

}  // namespace laurel::server
`;

const target = `${FOLDER}console_assets.cc`;
let written = '';
try {
  written = readFileSync(target, 'utf8');
} catch {
  // There is none yet.
}
if (written !== source) writeFileSync(target, source);
