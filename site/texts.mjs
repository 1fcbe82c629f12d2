// The site as text, for agents: a Markdown twin of each page, `llms.txt` and `llms-full.txt`.
import { posix } from 'node:path'
import { grouped, targetOf } from './pages.mjs'

const LINK = /(\]\()([^)\s]+)(\))/g
// Code may contain what looks like a link.
const CODE = /^(`{3,})[\s\S]*?^\1|`[^`\n]+`/gm

/** Returns Markdown with every link outside of code changed by `change`. */
const withLinks = (source, change) => {
  let text = ''
  let end = 0
  const linked = (part) => part.replace(LINK, (_, open, href, close) => open + change(href) + close)
  for (const { 0: code, index } of source.matchAll(CODE)) {
    text += linked(source.slice(end, index)) + code
    end = index + code.length
  }
  return text + linked(source.slice(end))
}

const withoutComments = (source) => source.replace(/^<!--[\s\S]*?-->\n+/gm, '')

/** Returns the Markdown of a page, with links that are right in the site. */
export const twinOf = ({ path, source }) => {
  const index = posix.relative(posix.dirname(path), 'llms.txt')
  const text = withLinks(withoutComments(source), (href) => targetOf(href, path, '.md'))
  return `${text.trimEnd()}\n\n---\n\nAll pages: [llms.txt](${index})\n`
}

const line = ({ title, path, about }) => `- [${title}](${path})${about ? `: ${about}` : ''}`

/** Returns `llms.txt`: title, summary, and lists of links. Agents may skip what is only for contributors. */
export const indexText = (pages, summary) => {
  const sections = grouped(pages, ({ section }) => (section === 'Contribute' ? 'Optional' : section))
  const lists = sections.map(([section, inSection]) => `## ${section}\n\n${inSection.map(line).join('\n')}\n`)
  return `# Trailmark\n\n> ${summary}\n\nAll pages in one file: [llms-full.txt](llms-full.txt)\n\n${lists.join('\n')}`
}

/** Returns `llms-full.txt`: the text of all pages but those for contributors, with links from the root. */
export const fullText = (pages, summary) => {
  const texts = pages
    .filter(({ section }) => section !== 'Contribute')
    .map(({ path, source }) => {
      const toRoot = (href) => {
        const target = targetOf(href, path, '.md')
        if (target.startsWith('#')) return path + target
        return target.includes(':') ? target : posix.join(posix.dirname(path), target)
      }
      return `<!-- ${path} -->\n\n${withLinks(withoutComments(source), toRoot).trim()}\n`
    })
  return `# Trailmark\n\n> ${summary}\n\nThe index of these pages: [llms.txt](llms.txt)\n\n${texts.join('\n\n')}`
}
