import { attempt } from './page'

// What rrweb takes from style sheets. The build replaces rrweb's own code with these functions (rollup.config.mjs).

// A declaration without its value. Browsers lose the value of a shorthand with `var()` when a longhand of it is declared too.
// https://drafts.csswg.org/css-variables/#variables-in-shorthands
const LOST = /([{;]\s*)([a-z-]+): (?=;)/g
const hasLost = (text: string) => text.search(LOST) >= 0

const bases = new WeakMap<CSSStyleSheet, string>()

/**
 * Returns the URL that the relative URLs of a style sheet belong to. For one without its own URL, that is the URL of the page
 * when the style sheet was first seen: browsers resolve them once, so later navigations within the page change nothing.
 */
export const baseOf = (sheet: CSSStyleSheet): string => {
  if (sheet.href) return sheet.href
  const base = bases.get(sheet) ?? (sheet.ownerNode ?? document).baseURI
  bases.set(sheet, base)
  return base
}

/**
 * Returns `rules`, the text of an imported style sheet, in the conditions and the layer that it is imported with. Without rules, which cannot
 * be read of another origin: the import. Nothing if the browser has not loaded it.
 */
export const importText = (
  { styleSheet, media, layerName, supportsText, cssText }: CSSImportRule,
  rules: string | null,
) => {
  if (!styleSheet || rules === null) return styleSheet ? cssText : ''
  const wraps = [
    typeof layerName === 'string' && `@layer ${layerName}`,
    supportsText && `@supports (${supportsText})`,
    media.mediaText && `@media ${media.mediaText}`,
  ]
  return wraps.reduce<string>((text, wrap) => (wrap ? `${wrap} {${text}}` : text), rules)
}

/** Whether a `style` element has not yet loaded what it imports. */
export const isImporting = ({ sheet }: HTMLStyleElement): boolean =>
  [...(sheet?.cssRules ?? [])].some((rule) => (rule as Partial<CSSImportRule>).styleSheet === null)

const textOf = (sheet: CSSStyleSheet) => [...sheet.cssRules].map(({ cssText }) => cssText).join('')

/**
 * Returns the text of a `style` element if browsers cannot serialize its rules; undefined if they can, or if a script has
 * changed the rules, so that they are not those of the text.
 */
export const sourceOf = (sheet: CSSStyleSheet): string | undefined => {
  const { ownerNode } = sheet
  const source = ownerNode?.nodeName === 'STYLE' ? ownerNode.textContent : ''
  if (!source.includes('var(') || !hasLost(textOf(sheet))) return undefined
  return attempt(() => {
    const copy = new CSSStyleSheet()
    copy.replaceSync(source)
    return textOf(copy) === textOf(sheet) ? source : undefined
  })
}

/** Returns the text of a rule. Values that are lost are those of the first element to which the rule applies. */
export const ruleText = (rule: CSSRule): string => {
  const { cssText } = rule
  if (!hasLost(cssText)) return cssText
  const { selectorText, cssRules = [] } = rule as Partial<CSSStyleRule>
  const text = [...cssRules].reduce((all, each) => all.replace(each.cssText, () => ruleText(each)), cssText)
  const root = (rule.parentStyleSheet?.ownerNode?.getRootNode() ?? document) as ParentNode
  const element = attempt(() => root.querySelector(selectorText!))
  const style = element ? getComputedStyle(element) : undefined
  return text.replace(LOST, (_, before: string, name: string) => {
    const value = style?.getPropertyValue(name)
    return value ? `${before}${name}: ${value}` : before
  })
}
