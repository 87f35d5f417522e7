import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off', // typed arrays are indexed everywhere
      eqeqeq: 'error',
      // what a file says is shown as text, never as HTML
      'no-restricted-properties': ['error', { property: 'innerHTML' }, { property: 'outerHTML' }, { property: 'insertAdjacentHTML' }],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { performance: 'readonly', Event: 'readonly', location: 'readonly', process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly', setTimeout: 'readonly', window: 'readonly', document: 'readonly', getComputedStyle: 'readonly', innerWidth: 'readonly', innerHeight: 'readonly', URLSearchParams: 'readonly', HTMLCanvasElement: 'readonly', ResizeObserver: 'readonly', fetch: 'readonly', Image: 'readonly', requestAnimationFrame: 'readonly' } },
  },
);
