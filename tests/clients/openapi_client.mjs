// Makes a client from the document that the server serves: types by openapi-typescript, calls by
// openapi-fetch. openapi_client.ts must compile against the types and call every operation.

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { newFolder, run } from './openapi.mjs';

const folder = await newFolder();
run(folder, 'openapi-typescript', 'openapi.json', '--output', 'api.d.ts');
copyFileSync(fileURLToPath(new URL('openapi_client.ts', import.meta.url)),
  join(folder, 'openapi_client.ts'));
writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
  compilerOptions: {
    target: 'ES2022', module: 'NodeNext', lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [],
    strict: true, noUncheckedIndexedAccess: true, noEmitOnError: true, skipLibCheck: true,
  },
  files: ['openapi_client.ts'],
}));
run(folder, 'tsc', '--project', '.');
run(folder, join(folder, 'openapi_client.js'));
