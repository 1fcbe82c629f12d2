import type { Draft, Edit } from './draft'
import table from './posthog.json'

/** Types of posthog-js that the SDK exports under the same names. */
const TYPES = new Set(table.types)

/** Exports of `posthog-js/react` by their names in `trailmark/react`. */
const REACT: Readonly<Record<string, string>> = {
  PostHogProvider: 'TrailmarkProvider',
  PostHogFeature: 'TrailmarkFeature',
  PostHogErrorBoundary: 'TrailmarkErrorBoundary',
  PostHogCaptureOnViewed: 'CaptureOnView',
  usePostHog: 'useTrailmark',
  useActiveFeatureFlags: 'useActiveFeatureFlags',
  useFeatureFlagEnabled: 'useFeatureFlagEnabled',
  useFeatureFlagPayload: 'useFeatureFlagPayload',
  useFeatureFlagResult: 'useFeatureFlagResult',
  useFeatureFlagVariantKey: 'useFeatureFlagVariantKey',
  setupReactErrorHandler: 'setupReactErrorHandler',
}

const PACKAGE = `posthog-js(?:/react)?|@posthog/react`
const IMPORT = new RegExp(`\\b(import|export)(\\s+type)?\\s+([^'";()]*?)\\s*from\\s*(['"])(${PACKAGE})\\4`, 'g')
const REQUIRE = new RegExp(
  `\\b(?:const|let|var)\\s+([\\w$]+)\\s*=\\s*require\\((['"])posthog-js\\2\\)(\\.default|\\.posthog)?`,
  'g',
)
const OTHER = /(['"])(posthog-js(?:\/[\w./-]*)?|@posthog\/(?:react|nextjs|next|nuxt)[\w./-]*)\1/g

const rename = ({ masked, edits, add, isDone }: Draft, from: string, to: string) => {
  for (const { index } of masked.matchAll(new RegExp(`(?<![\\w$.])${from}(?![\\w$])`, 'g')))
    if (!isDone(index)) edits.push({ start: index, end: index + from.length, text: to })
  if (from === 'PostHogProvider')
    for (const { 0: tag, index } of masked.matchAll(/<PostHogProvider\b[^>]*?\bapiKey(?==)/g))
      edits.push({ start: index + tag.length - 6, end: index + tag.length, text: 'token' })
  else if (!from.startsWith('use'))
    add('differs', masked.indexOf(from), from, `It is ${to} of trailmark/react. Compare its props.`)
}

/** Returns what is imported instead of a name. Empty: nothing. */
const importedAs = (draft: Draft, specifier: string, isReact: boolean, at: number): string[] => {
  const [, isType = '', name = '', local = name] =
    /^(type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?$/.exec(specifier.trim()) ?? []
  const isObject = !isReact && (name === 'posthog' || name === 'default')
  if (isObject) draft.locals.add(local)
  const found = isObject ? 'posthog' : isReact ? REACT[name] : TYPES.has(name) && name
  if (!found) {
    draft.add('todo', at, name, `${isReact ? 'trailmark/react' : 'trailmark'} has no export of this name.`)
    return []
  }
  if (isReact && local === name && found !== name) {
    rename(draft, name, found)
    return [isType + found]
  }
  return [`${isType}${found}${found === local ? '' : ` as ${local}`}`]
}

const changeImports = (draft: Draft) => {
  const { source, edits, add, isCode } = draft
  for (const found of source.matchAll(IMPORT)) {
    const [text, keyword, isType = '', clause = '', quote = "'", from = ''] = found
    const { index } = found
    if (!isCode(index)) continue
    const isReact = from.includes('react')
    const target = `${quote}trailmark${isReact ? '/react' : ''}${quote}`
    if (clause.startsWith('*')) {
      add('todo', index, from, `Import by name: import { posthog } from ${target}.`)
      continue
    }
    // The whole statement is replaced, so that names in it are not renamed twice.
    const edit: Edit = { start: index, end: index + text.length, text }
    edits.push(edit)
    const [, first = '', list = ''] = /^([\w$]*)\s*,?\s*(?:\{([^]*)\})?$/.exec(clause) ?? []
    const specifiers = [first && `default as ${first}`, ...list.split(',')].filter((each) => each.trim())
    const names = specifiers.flatMap((each) => importedAs(draft, each, isReact, index))
    if (names.length > 0) edit.text = `${keyword}${isType} { ${names.join(', ')} } from ${target}`
  }
}

const changeRequires = ({ source, edits, locals, isCode }: Draft) => {
  for (const { 0: text, 1: name = '', index } of source.matchAll(REQUIRE)) {
    if (!isCode(index)) continue
    locals.add(name)
    const binding = name === 'posthog' ? '{ posthog }' : `{ posthog: ${name} }`
    edits.push({ start: index, end: index + text.length, text: `const ${binding} = require('trailmark')` })
  }
}

/** Changes imports, and the names that React components have in the code. */
export const changeModules = (draft: Draft): void => {
  changeImports(draft)
  changeRequires(draft)
  const { source, masked, add, isCode, isDone } = draft
  for (const { index, 2: name = '' } of source.matchAll(OTHER)) {
    const isModule = !isCode(index) && /\b(?:import|require)\s*\(?\s*$|\bfrom\s*$/.test(masked.slice(0, index))
    if (isModule && !isDone(index)) add('todo', index, name, 'Change this import by hand.')
  }
}
