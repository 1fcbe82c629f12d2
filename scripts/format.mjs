import { execFileSync } from 'node:child_process'

/** Returns `text` as `npm run format` would write it to `file`. Throws if the text has a syntax error. */
export const format = (file, text) =>
  execFileSync('npx', ['--no-install', 'oxfmt', `--stdin-filepath=${file}`], { input: text, encoding: 'utf8' })
