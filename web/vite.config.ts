// How the console is built, and how it is served while it is being worked on.
import { defineConfig } from 'vite';

// `npm run dev` serves the page itself and passes API calls on to a running server. The header Host
// stays as it is, because the server compares it with Origin.
const target = process.env['LAUREL_HTTP'] ?? 'http://127.0.0.1:7680';
const passed = { target, changeOrigin: false };

export default defineConfig({
  base: './', // relative paths, so that the console works below any prefix
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  build: {
    target: 'es2022',
    outDir: '../build/console/dist',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy allows no data: addresses
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': passed, '/readyz': passed } },
});
