// Searches the site. Loaded after the page, or when somebody searches.
import MiniSearch from 'minisearch'
import { wordsOf } from './words.js'

/** Result of `searchData.mjs`, which the build inserts here. */
const { pages, sections, words, places } = SEARCH_DATA

const MOST = 30
const FIELDS = { title: 0, heading: 1, text: 2 }

/** Returns the words in full: each begins with the number of letters that it shares with the previous one. */
const readWords = () => {
  let before = ''
  return words.split('\n').map((word) => {
    before = before.slice(0, parseInt(word[0], 36)) + word.slice(1)
    return before
  })
}

const readSteps = (text) => {
  let number = -1
  return text.split(' ').map((step) => (number += parseInt(step, 36)))
}

/** Returns for each word the sections that have it, by field. */
const readPlaces = () => {
  const all = new Map()
  const add = (word, field, number) => {
    const fields = all.get(word) ?? {}
    all.set(word, fields)
    fields[field] = { ...fields[field], [number]: 1 }
  }
  const lines = places.split('\n')
  readWords().forEach((word, at) => {
    all.set(word, { [FIELDS.text]: Object.fromEntries(readSteps(lines[at]).map((number) => [number, 1])) })
  })
  sections.forEach(([page, heading = ''], number) => {
    const [url, title, , about] = pages[page]
    for (const word of wordsOf(title)) add(word, FIELDS.title, number)
    // These words belong to the page as a whole.
    if (!heading) for (const word of wordsOf(`${about} ${url}`)) add(word, FIELDS.heading, number)
    for (const word of wordsOf(heading)) add(word, FIELDS.heading, number)
  })
  return all
}

const all = readPlaces()
const lengths = sections.map(() => [0, 0, 0])
for (const fields of all.values())
  for (const [field, numbers] of Object.entries(fields)) for (const number in numbers) lengths[number][field] += 1
const average = (field) => lengths.reduce((sum, each) => sum + each[field], 0) / lengths.length
const numbers = Object.fromEntries(sections.map((_, number) => [number, number]))

const index = MiniSearch.loadJS(
  {
    documentCount: sections.length,
    nextId: sections.length,
    documentIds: numbers,
    fieldIds: FIELDS,
    fieldLength: Object.fromEntries(lengths.entries()),
    averageFieldLength: [0, 1, 2].map(average),
    storedFields: {},
    dirtCount: 0,
    index: [...all],
    serializationVersion: 2,
  },
  { fields: Object.keys(FIELDS), tokenize: wordsOf, processTerm: (word) => word },
)

const OPTIONS = {
  prefix: (word) => word.length > 1,
  fuzzy: (word) => (word.length > 4 ? 0.2 : false),
  boost: { title: 3, heading: 4 },
  boostDocument: (number) => (pages[sections[number][0]][2] === 'Contribute' ? 0.3 : sections[number][1] ? 1 : 1.5),
}

const resultOf = ({ id }) => {
  const [page, heading, anchor] = sections[id]
  const [url, title, section] = pages[page]
  return {
    url: anchor ? `${url}#${anchor}` : url,
    title: heading ?? title,
    within: heading ? `${section} › ${title}` : section,
  }
}

/** Returns the sections that fit best: first those that have all words, then those that have some. */
const search = (query) => {
  const all = index.search(query, { ...OPTIONS, combineWith: 'AND' })
  const known = new Set(all.map(({ id }) => id))
  const some = all.length < MOST ? index.search(query, OPTIONS).filter(({ id }) => !known.has(id)) : []
  return [...all, ...some].slice(0, MOST).map(resultOf)
}

globalThis.searchTrailmarkDocs = search
