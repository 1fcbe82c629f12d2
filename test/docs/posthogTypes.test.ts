/** @jest-environment node */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'

const page = readFileSync(resolve(__dirname, '../../docs/reference/posthog-js.md'), 'utf8')
const file = resolve(__dirname, '../../node_modules/posthog-js/dist/module.d.ts')
const program = ts.createProgram([file], {
  skipLibCheck: true,
  types: [],
  // Enough for the names of members, for example through `Partial`. The declarations of the DOM take seconds.
  lib: ['lib.es5.d.ts'],
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  module: ts.ModuleKind.ESNext,
})
const checker = program.getTypeChecker()
const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)

/** Returns the names of the public members of an exported type. */
const membersOf = (name: string): string[] =>
  checker
    .getDeclaredTypeOfSymbol(
      ((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))(
        exported.find((each) => each.name === name)!,
      ),
    )
    .getProperties()
    .map((property) => property.name)
    .filter((member) => /^[a-zA-Z]/.test(member))

const names = [...new Set([...membersOf('PostHog'), ...membersOf('PostHogConfig')])]

test('the posthog-js declarations contain its members and options', () => {
  expect(names.length).toBeGreaterThan(150)
})

test('docs/reference/posthog-js.md lists every public member and option', () => {
  expect(names.filter((name) => !new RegExp(`\`${name}[\`.(]`).test(page))).toEqual([])
})
