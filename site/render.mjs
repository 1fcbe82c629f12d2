// Renders the Markdown of a page: HTML, its sections for search, and its list of headings.
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import createMarkdown from 'markdown-it'
import { escapeHtml, highlight } from './highlight.mjs'
import { DOCS, targetOf } from './pages.mjs'

const markdown = createMarkdown({ html: true })

/** Returns the anchor that GitHub gives to a heading, so that links work there and here. */
const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const textOf = ({ children }) =>
  (children ?? [])
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : ''))
    .join('')

/** Adds anchors to headings, numbered when repeated. */
const addAnchors = (tokens) => {
  const seen = new Map()
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return
    const text = textOf(tokens[at + 1])
    const slug = slugOf(text)
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    token.attrSet('id', count ? `${slug}-${count}` : slug)
    token.meta = { text }
  })
}

/** The policy of the site forbids styles of elements. */
const alignByClass = (tokens) => {
  for (const token of tokens) {
    if (!/^t[hd]_open$/.test(token.type) || !token.attrGet('style')) continue
    token.attrs = [['class', token.attrGet('style').replace('text-align:', '')]]
  }
}

/** Empty header cells are not headings. */
const demoteEmptyHeads = (tokens) =>
  tokens.forEach((token, at) => {
    if (token.type !== 'th_open' || textOf(tokens[at + 1])) return
    token.tag = 'td'
    tokens[at + 2].tag = 'td'
  })

const { rules } = markdown.renderer
const plain = (tokens, at, options, _env, self) => self.renderToken(tokens, at, options)

rules.heading_close = (tokens, at, options, env, self) => {
  const open = tokens[at - 2]
  const id = open.attrGet('id')
  const link =
    open.tag === 'h1'
      ? ''
      : ` <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(open.meta.text)}”">#</a>`
  return link + plain(tokens, at, options, env, self)
}
rules.link_open = (tokens, at, options, env, self) => {
  tokens[at].attrSet('href', targetOf(tokens[at].attrGet('href'), env.path, '.html'))
  return plain(tokens, at, options, env, self)
}
rules.fence = (tokens, at) => {
  const { content, info } = tokens[at]
  const language = info.trim().split(/\s/)[0]
  return `<div class="code"${language ? ` data-language="${escapeHtml(language)}"` : ''}><pre><code>${highlight(content.trimEnd(), language)}</code></pre></div>\n`
}
rules.table_open = () => '<div class="scroll"><table>\n'
rules.table_close = () => '</table></div>\n'
// Comments are for those who edit the page.
const withoutComments = (tokens, at) => tokens[at].content.replace(/<!--[\s\S]*?-->\n?/g, '')
rules.html_block = withoutComments
rules.html_inline = withoutComments

/** Returns width and height of a PNG, so that the page does not jump when it arrives. */
const sizeOf = (file) => {
  if (!file.endsWith('.png') || !existsSync(file)) return ''
  const header = readFileSync(file).subarray(16, 24)
  return ` width="${header.readUInt32BE(0)}" height="${header.readUInt32BE(4)}"`
}
rules.image = (tokens, at, _options, { path }) => {
  const src = tokens[at].attrGet('src')
  const alt = escapeHtml(tokens[at].content)
  return `<img src="${src}" alt="${alt}" loading="lazy"${sizeOf(join(DOCS, posix.dirname(path), src))}>`
}

/** Returns the parts of a page between its headings, with their text. The code of blocks is not part of it. */
const sectionsOf = (tokens) => {
  const sections = []
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open')
      sections.push({ level: Number(token.tag[1]), heading: token.meta.text, id: token.attrGet('id'), text: '' })
    else if (token.type === 'inline' && sections.length && tokens[at - 1].type !== 'heading_open')
      sections.at(-1).text += `${textOf(token)}\n`
  })
  return sections
}

/** Returns the HTML of a page and its sections. */
export const render = ({ path, source }) => {
  const env = { path }
  const tokens = markdown.parse(source, env)
  addAnchors(tokens)
  alignByClass(tokens)
  demoteEmptyHeads(tokens)
  return { html: markdown.renderer.render(tokens, markdown.options, env), sections: sectionsOf(tokens) }
}
