// Creates the search index of the site: the sections and their words, as short as possible. `client/search.js` reads
// it.
import { urlOf } from './layout.mjs'
import { wordsOf } from './client/words.js'

/** Whether search covers only the headings of a section: nobody looks for its text while they use the product. */
const isOnlyHeadings = ({ section }) => section === 'Contribute'

/** Replaces the part that a word shares with the previous one by its length. */
const shortened = (words) =>
  words.map((word, at) => {
    const before = words[at - 1] ?? ''
    let same = 0
    while (same < 35 && same < before.length && before[same] === word[same]) same += 1
    return same.toString(36) + word.slice(same)
  })

/** Encodes ascending numbers as the differences between them. */
const steps = (numbers) => numbers.map((number, at) => (number - (numbers[at - 1] ?? -1)).toString(36)).join(' ')

/** Returns pages, their sections, all words, and the numbers of the sections with each word. */
export const searchDataOf = (pages) => {
  const sections = pages.flatMap((page, at) =>
    page.sections.map((section) => ({ ...section, at, text: isOnlyHeadings(page) ? '' : section.text })),
  )
  const found = new Map()
  sections.forEach(({ text }, number) => {
    for (const word of new Set(wordsOf(text))) found.set(word, [...(found.get(word) ?? []), number])
  })
  const words = [...found.keys()].sort()
  return {
    pages: pages.map(({ path, title, section, about }) => [urlOf(path), title, section, about]),
    // The first heading of a page is its title.
    sections: sections.map(({ at, level, heading, id }) => (level === 1 ? [at] : [at, heading, id])),
    words: shortened(words).join('\n'),
    places: words.map((word) => steps(found.get(word))).join('\n'),
  }
}
