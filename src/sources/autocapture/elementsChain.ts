import type { ElementDescription } from '../../host'

const quoted = (text: string) => text.replace(/"/g, '\\"')

const link = ({ tag, classes, attributes, text, nthChild, nthOfType }: ElementDescription): string => {
  const pairs: Record<string, string | number> = { 'nth-child': nthChild, 'nth-of-type': nthOfType }
  for (const [name, value] of Object.entries(attributes)) pairs[`attr__${name}`] = value
  if (attributes.id) pairs.attr_id = attributes.id
  if (attributes.href) pairs.href = attributes.href.slice(0, 2048)
  if (text) pairs.text = text.slice(0, 400)
  return (
    [tag, ...[...classes].sort().map((each) => each.replace(/"/g, ''))].join('.') +
    ':' +
    Object.keys(pairs)
      .sort()
      .map((name) => `${quoted(name)}="${quoted(String(pairs[name]))}"`)
      .join('')
  )
}

/** Returns the elements of a path, innermost first, as a string in the protocol's grammar (docs/reference/protocol.md#12.5). */
export const elementsChain = (path: readonly ElementDescription[]): string => path.map(link).join(';')
