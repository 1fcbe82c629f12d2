import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { transformSync } from '@swc/core'
import type * as Lite from 'error-stack-parser-es/lite'

// The package is ESM only, which Jest cannot require: this is the same file as CommonJS.
const FILE = resolve(__dirname, '../../node_modules/error-stack-parser-es/dist/lite.mjs')
const { code } = transformSync(readFileSync(FILE, 'utf8'), { configFile: false, module: { type: 'commonjs' } })
const exported = {} as typeof Lite
// oxlint-disable-next-line typescript/no-implied-eval
new Function('exports', code)(exported)

export const { parseStack } = exported
