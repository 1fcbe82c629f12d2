// The HTML around the content of a page.
import { posix } from 'node:path'
import { escapeHtml } from './highlight.mjs'
import { grouped } from './pages.mjs'

/**
 * Policy of the published files. The service sends the same policy as a header, and adds which sites may frame the
 * pages.
 */
export const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types trailmark-docs',
].join('; ')

export const urlOf = (path) => path.replace(/\.md$/, '.html')

/** Returns the path from one page of the site to another. */
export const pathBetween = (from, to) => posix.relative(posix.dirname(from), to)

const code = (text) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const sidebarLink = (page, { path, title }) =>
  `<li><a href="${pathBetween(page.path, urlOf(path))}"${path === page.path ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

const sidebarGroup = (page, [group, pages]) =>
  `${group ? `<li class="group">${escapeHtml(group)}</li>` : ''}${pages.map((each) => sidebarLink(page, each)).join('')}`

const sidebar = (page, pages) =>
  grouped(pages, ({ section }) => section)
    .map(([section, inSection]) => {
      const isOpen = section === (page.section ?? 'Guides')
      const groups = grouped(inSection, ({ group }) => group)
      return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(section)}</summary><ul>${groups.map((group) => sidebarGroup(page, group)).join('')}</ul></details>`
    })
    .join('\n')

const MOST_HEADINGS = 60

/** Returns the list of a page's headings: two levels, or one if there are too many to be of use. */
const tableOfContents = (sections) => {
  const within = (most) => sections.filter(({ level }) => level > 1 && level <= most)
  const shown = within(3).length > MOST_HEADINGS ? within(2) : within(3)
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ level, heading, id }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(heading)}</a></li>`,
  )
  return `<nav class="toc" aria-labelledby="toc-title"><h2 id="toc-title">On this page</h2><ul>${items.join('')}</ul></nav>`
}

const step = (page, other, rel, label) =>
  other
    ? `<a rel="${rel}" href="${pathBetween(page.path, urlOf(other.path))}"><span>${label}</span>${escapeHtml(other.title)}</a>`
    : '<span></span>'

const pager = (page, pages) => {
  const at = pages.findIndex(({ path }) => path === page.path)
  return `<nav class="pager" aria-label="Previous and next page">${step(page, pages[at - 1], 'prev', 'Previous')}${step(page, pages[at + 1], 'next', 'Next')}</nav>`
}

const icon = (path) =>
  `<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`
const SEARCH = icon('<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>')
const MENU = icon('<path d="M4 6h16M4 12h16M4 18h16"/>')
const THEME = icon('<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>')

const DIALOG = `<dialog class="search" aria-label="Search the docs">
<form method="dialog"><input type="search" role="combobox" aria-label="Search" aria-expanded="false" aria-controls="results" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search the docs"><button>Close</button></form>
<div id="results" role="listbox" aria-label="Results"></div>
<p class="status" role="status"></p>
</dialog>`

/** Returns the document of a page. `assets`: paths of the script, the styles and the icon from the root. */
export const layout = (page, { pages, assets, version }) => {
  const to = (path) => pathBetween(page.path, path)
  const { title, about, html, sections } = page
  const isHome = page.path === 'index.md'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${CSP}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isHome ? 'Trailmark docs' : `${escapeHtml(title)} · Trailmark docs`}</title>
<meta name="description" content="${escapeHtml(about.replaceAll('`', '') || title)}">
<link rel="icon" href="${to(assets.icon)}" type="image/svg+xml">
<link rel="alternate" href="${posix.basename(page.path)}" type="text/markdown" title="This page as Markdown">
<link rel="stylesheet" href="${to(assets.style)}">
<script src="${to(assets.script)}" data-search="${to(assets.search)}" data-root="${to('') || '.'}/"></script>
</head>
<body${isHome ? ' class="home"' : ''}>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="icon menu" type="button" aria-label="Menu" aria-expanded="false" aria-controls="pages">${MENU}</button>
<a class="brand" href="${to('index.html')}"><img src="${to(assets.icon)}" alt="" width="28" height="28">Trailmark <span>docs</span></a>
<button class="find" type="button" aria-label="Search" aria-keyshortcuts="/ Control+K Meta+K">${SEARCH}<span>Search</span><kbd>/</kbd></button>
<button class="icon theme" type="button" aria-label="Theme: system">${THEME}</button>
</header>
<div class="columns">
<nav class="pages" id="pages" aria-label="Pages">
${sidebar(page, pages)}
</nav>
<main id="content" tabindex="-1">
${page.section ? `<p class="trail">${escapeHtml([page.section, page.group].filter(Boolean).join(' › '))}</p>` : ''}
<article>
${html}</article>
${isHome ? '' : pager(page, pages)}
<footer><a href="${posix.basename(page.path)}">This page as Markdown</a><a href="${to('llms.txt')}">llms.txt</a><span>Trailmark ${version}</span></footer>
</main>
${isHome ? '' : tableOfContents(sections)}
</div>
${DIALOG}
</body>
</html>
`
}

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1)

const card = ({ path, title, about }) =>
  `<li><a href="${urlOf(path)}">${escapeHtml(title)}</a>${about ? `<p>${code(capitalized(about))}</p>` : ''}</li>`

/** Returns the content of the first page: what Trailmark is, how to start, and all pages. */
export const homeContent = (pages, { summary, start }) => `<h1>Trailmark</h1>
<p class="lead">${code(summary)}</p>
${start}
${grouped(pages, ({ section }) => section)
  .map(
    ([section, inSection]) =>
      `<h2 id="${section.toLowerCase()}">${escapeHtml(section)}</h2>\n${grouped(inSection, ({ group }) => group)
        .map(
          ([group, ofGroup]) =>
            `${group ? `<h3>${escapeHtml(group)}</h3>` : ''}<ul class="cards">${ofGroup.map(card).join('\n')}</ul>`,
        )
        .join('\n')}`,
  )
  .join('\n')}
`
