// Highlights code at build time: comments, strings, numbers, keywords and names of keys, by one expression for each language.

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeHtml = (text) => text.replace(/[&<>"]/g, (each) => ESCAPES[each])

const STRINGS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/
const NUMBER = /\b\d[\d_.]*(?:e[+-]?\d+)?\b/
const SCRIPT_WORDS =
  /\b(?:as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|readonly|return|static|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield)\b/
const SQL_WORDS =
  /\b(?:and|array|as|asc|between|by|case|cross|desc|distinct|else|end|except|false|from|full|group|having|ilike|in|inner|intersect|interval|is|join|left|like|limit|not|null|offset|on|or|order|over|partition|prewhere|qualify|right|select|then|true|union|using|when|where|window|with)\b/i
const SHELL_WORDS =
  /(?<=^|[|;&(]\s*|^\$ )(?:[A-Z_]+=\S+\s+)*(?:cat|cd|curl|docker|export|mkdir|node|npm|npx|openssl|python|sh|sudo|trailmark)\b/m

const script = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
  string: new RegExp(`${STRINGS.source}|\`(?:[^\`\\\\]|\\\\.)*\``),
  word: SCRIPT_WORDS,
  number: NUMBER,
}
const config = { comment: /(?<=^|\s)#[^\n]*/, string: STRINGS, number: NUMBER }

/** Kinds of tokens by language. The first kind that matches at a position wins. */
const LANGUAGES = {
  js: script,
  jsx: script,
  ts: script,
  tsx: script,
  vue: { ...script, comment: /<!--[\s\S]*?-->|\/\/[^\n]*/ },
  json: { name: /"(?:[^"\\]|\\.)*"(?=\s*:)/, string: STRINGS, word: /\b(?:true|false|null)\b/, number: NUMBER },
  sql: {
    comment: /--[^\n]*|\/\*[\s\S]*?\*\//,
    string: /'(?:[^'\\]|\\.|'')*'/,
    name: /\{variables\.\w+\}/,
    word: SQL_WORDS,
    number: NUMBER,
  },
  sh: { comment: /(?<=^|\s)#[^\n]*/, string: STRINGS, word: SHELL_WORDS, name: /(?<=\s)--?[a-zA-Z][\w-]*/ },
  html: { comment: /<!--[\s\S]*?-->/, word: /<\/?[a-zA-Z][\w-]*|\/?>/, string: STRINGS, name: /\b[a-z-]+(?==)/ },
  css: { comment: /\/\*[\s\S]*?\*\//, string: STRINGS, name: /[\w-]+(?=\s*:)/, number: NUMBER },
  yaml: { ...config, name: /^[ -]*[\w.-]+(?=:)/ },
  python: {
    ...config,
    word: /\b(?:and|as|def|elif|else|False|for|from|if|import|in|None|not|or|return|True|with)\b/,
  },
}
const SAME_AS = {
  javascript: 'js',
  typescript: 'ts',
  mjs: 'js',
  bash: 'sh',
  shell: 'sh',
  svelte: 'vue',
  astro: 'vue',
  yml: 'yaml',
  nginx: 'yaml',
  caddyfile: 'yaml',
  toml: 'yaml',
}

const expressionOf = (kinds) =>
  new RegExp(
    Object.entries(kinds)
      .map(([kind, { source }]) => `(?<${kind}>${source})`)
      .join('|'),
    kinds.word === SQL_WORDS ? 'gim' : 'gm',
  )
const expressions = new Map(Object.entries(LANGUAGES).map(([name, kinds]) => [name, expressionOf(kinds)]))

/** Returns code as HTML. Languages without a row are not highlighted. */
export const highlight = (code, language) => {
  const expression = expressions.get(SAME_AS[language] ?? language)
  if (!expression) return escapeHtml(code)
  let html = ''
  let end = 0
  for (const found of code.matchAll(expression)) {
    const [kind] = Object.entries(found.groups).find(([, text]) => text !== undefined)
    html += `${escapeHtml(code.slice(end, found.index))}<span class="${kind}">${escapeHtml(found[0])}</span>`
    end = found.index + found[0].length
  }
  return html + escapeHtml(code.slice(end))
}
