import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { ROOT } from './markdown'

/** A member of an interface, or a declaration in a file, as written in the source. */
export interface Declaration {
  name: string
  /** The type of a property or `(…): …` of a method. Empty if there is none. */
  type: string
  /** The docstring in one line, without its tags. */
  doc: string
  /** Descriptions of `@param`, starting with the parameter name. */
  params: string[]
  example?: string
  /** Members of an inline type, such as `people: { set(): void }`. */
  members: Declaration[]
  source: string
}

const parse = (path: string) =>
  ts.createSourceFile(path, readFileSync(resolve(ROOT, path), 'utf8'), ts.ScriptTarget.ES2022, true)

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const describe = (node: ts.Node & { name?: ts.Node; type?: ts.TypeNode }): Declaration => {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const tags = docs.flatMap(({ tags = [] }) => [...tags])
  const textOf = ({ comment }: { comment?: string | ts.NodeArray<ts.JSDocComment> }) =>
    oneLine(ts.getTextOfJSDocComment(comment) ?? '')
  const source = node.getText()
  const signature = ts.isMethodSignature(node) ? source.slice(node.name.end - node.getStart()) : undefined
  return {
    name: node.name?.getText() ?? '',
    type: oneLine(signature ?? node.type?.getText() ?? ''),
    doc: oneLine(docs.map(textOf).join(' ')),
    params: tags.filter(ts.isJSDocParameterTag).map((tag) => `\`${tag.name.getText()}\`: ${textOf(tag)}`),
    example: tags.filter(({ tagName }) => tagName.text === 'example').map(textOf)[0],
    members: node.type && ts.isTypeLiteralNode(node.type) ? node.type.members.map(describe) : [],
    source,
  }
}

/** Returns the members of each interface of a source file, with their docstrings. */
export const readInterfaces = (path: string): Record<string, Declaration[]> =>
  Object.fromEntries(
    parse(path)
      .statements.filter(ts.isInterfaceDeclaration)
      .map((declaration) => [declaration.name.text, declaration.members.map(describe)]),
  )

/** Returns the interfaces and types a source file exports, with their docstrings. */
export const readTypes = (path: string): Declaration[] =>
  parse(path)
    .statements.filter((each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each))
    .filter((each) => each.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .map(describe)

/** Returns names starting with `$` in the literals and properties of a source file. Variable parts of templates become `…`. */
export const readDollarNames = (path: string): string[] => {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) names.push(node.text)
    if (ts.isTemplateExpression(node))
      names.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'))
    if ((ts.isPropertyAssignment(node) || ts.isPropertySignature(node)) && ts.isIdentifier(node.name))
      names.push(node.name.text)
    if (ts.isShorthandPropertyAssignment(node)) names.push(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(parse(path))
  return names.filter((name) => /^\$+[a-z][\w/…]*$/.test(name))
}
