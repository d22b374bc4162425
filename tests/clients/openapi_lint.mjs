// Spectral finds nothing to complain about in the document that the server serves, not even a hint.

import { fileURLToPath } from 'node:url';

import { newFolder, run } from './openapi.mjs';

const folder = await newFolder();
run(folder, 'spectral', 'lint', '--fail-severity', 'hint', '--ruleset',
  fileURLToPath(new URL('spectral.yaml', import.meta.url)), 'openapi.json');
