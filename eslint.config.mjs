import eslint from '@eslint/js'
import tseslint from 'typescript-eslint'

/** Prettier formats the code. These rules find defects. */
export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      'examples/snippet/snippet.js',
      'examples/vite/',
      'bench/pages/',
      '**/.data/',
      '.cache/',
    ],
  },
  {
    files: [
      'src/**/*.{ts,tsx}',
      'service/src/**/*.ts',
      'service/console/**/*.{ts,tsx}',
      'test/**/*.ts',
      'service/test/**/*.ts',
      'e2e/**/*.ts',
      '*.ts',
    ],
    extends: [eslint.configs.recommended, ...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // A promise that nobody awaits is marked with `void`.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // Objects are closures, so a method works without its object.
      '@typescript-eslint/unbound-method': 'off',
      // `async` without `await` turns a throw into a rejection, which the interfaces of stores require.
      '@typescript-eslint/require-await': 'off',
      'max-lines-per-function': ['warn', { max: 120, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['**/*.mjs'],
    extends: [eslint.configs.recommended],
    rules: {
      // Scripts and benchmarks run in Node, and also contain functions that run in pages.
      'no-undef': 'off',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    // Tests read JSON of any shape, and check that wrong types do not compile.
    files: ['test/**/*.ts', 'service/test/**/*.ts', 'e2e/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': false }],
      // Playwright reads the names of fixtures from the first parameter, which may be empty.
      'no-empty-pattern': 'off',
      'max-lines-per-function': 'off',
    },
  },
)
