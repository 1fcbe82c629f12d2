import { relative, resolve } from 'node:path'
import ts from 'typescript'

const SRC = resolve(__dirname, '../src')
const CONFIG = resolve(__dirname, '../tsconfig.json')

const host = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: ({ messageText }: ts.Diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'))
  },
}

/** Whether a value of the type may be any string, as opposed to one of a few. */
const mayBeAnyText = (type: ts.Type, checker: ts.TypeChecker): boolean => {
  if (type.isUnion()) return type.types.some((each) => mayBeAnyText(each, checker))
  if (type.flags & ts.TypeFlags.Any) return true
  if (type.flags & ts.TypeFlags.StringLike) return !(type.flags & ts.TypeFlags.StringLiteral)
  const constraint = checker.getBaseConstraintOfType(type)
  return constraint !== undefined && constraint !== type && mayBeAnyText(constraint, checker)
}

test('no object is read or written by a name from outside, except with own()', () => {
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(CONFIG, {}, host)!
  const program = ts.createProgram(
    fileNames.filter((name) => name.startsWith(SRC)),
    options,
  )
  const checker = program.getTypeChecker()
  const found: string[] = []
  for (const file of program.getSourceFiles()) {
    const name = relative(SRC, file.fileName)
    if (name.startsWith('..') || name === 'lib/own.ts') continue
    const visit = (node: ts.Node): void => {
      const isLookup =
        ts.isElementAccessExpression(node) && mayBeAnyText(checker.getTypeAtLocation(node.argumentExpression), checker)
      const isTest =
        ts.isBinaryExpression(node) &&
        node.operatorToken.kind === ts.SyntaxKind.InKeyword &&
        mayBeAnyText(checker.getTypeAtLocation(node.left), checker)
      if (isLookup || isTest)
        found.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText()}`)
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  expect(program.getSourceFiles().length).toBeGreaterThan(300)
  expect(found).toEqual([])
})
