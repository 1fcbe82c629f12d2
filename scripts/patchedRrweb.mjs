// Bundles rrweb's recorder with our changes (src/extensions/recorder/rrweb.patch), without its parts that we do not use.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const RECORDER = new URL('../src/extensions/recorder/', import.meta.url)

/** Returns a text after a unified diff. Throws if a part of the text differs from what the diff expects. */
export const applyPatch = (text, patch) => {
  const lines = text.split('\n')
  const result = []
  let at = 0
  for (const [, start, body] of patch.matchAll(/^@@ -(\d+).*\n((?:[-+ \\].*\n?|\n)*)/gm)) {
    while (at < Number(start) - 1) result.push(lines[at++])
    for (const line of body.replace(/\n$/, '').split('\n')) {
      const content = line.slice(1)
      if (line[0] === '+') result.push(content)
      else if (line[0] !== '\\') {
        if (lines[at] !== content)
          throw new Error(`rrweb's line ${at + 1} is not ${JSON.stringify(content)}. See rrweb.patch.`)
        at += 1
        if (line[0] !== '-') result.push(content)
      }
    }
  }
  return [...result, ...lines.slice(at)].join('\n')
}

// Options that the recorder does not set. As constants, the minifier drops the code that they turn on.
const UNSET_OPTIONS =
  'checkoutEveryNms checkoutEveryNth ignoreSelector hooks packFn mousemoveWait recordAfter recordDOM plugins'.split(' ')

// Options that rrweb passes from function to function, with their replacements.
const PASSED_OPTIONS = {
  recordCanvas: 'false',
  inlineImages: 'false',
  recordCrossOriginIframes: 'false',
  userTriggeredOnInput: 'false',
  dataURLOptions: '({})',
  keepIframeSrcFn: '(() => false)',
  maskTextFn: 'undefined',
  maskInputFn: 'undefined',
  canvasManager: 'undefined',
  ignoreCSSAttributes: 'undefined',
}

const withoutUnsetOptions = (code) => {
  const start = code.indexOf('function record(options')
  const end = code.indexOf('} = options;', start)
  let options = code.slice(start, end)
  let constants = ''
  for (const name of UNSET_OPTIONS) {
    const option = new RegExp(`^ {4}${name}(?: = (.*))?,$`, 'm')
    if (!option.test(options)) throw new Error(`rrweb has no option ${name} any more.`)
    constants += ` const ${name} = ${option.exec(options)[1]};`
    options = options.replace(option, '')
  }
  return code.slice(0, start) + options + '} = options;' + constants + code.slice(end + '} = options;'.length)
}

const withoutPassedOptions = (code) => {
  for (const [name, value] of Object.entries(PASSED_OPTIONS)) {
    const passed = new RegExp(
      `^ +(${name}( = .*)?,?|${name}: (this|options)\\.${name},?|__publicField\\(this, "${name}"\\);|"${name}",)$|\\b${name}, `,
      'gm',
    )
    code = code.replace(passed, '').replace(new RegExp(`\\b(this\\.)?${name}\\b`, 'g'), value)
  }
  return code
}

/** Replaces members of enums by their numbers. */
const withoutEnums = (code) => {
  for (const [, name, members] of code.matchAll(/^var (\w+) = \/\* @__PURE__ \*\/ \(\(\1\d\) => {\n([\s\S]*?)^}\)/gm))
    for (const [, member, value] of members.matchAll(/\["(\w+)"\] = (\d+)\]/g))
      code = code.replaceAll(new RegExp(`\\b${name}\\.${member}\\b`, 'g'), value)
  return code
}

/** Sets members of classes by name, so that the minifier may shorten the name. */
const withoutFields = (code) =>
  code.replace(/__publicField\(this, "\w+"\);/g, '').replace(/__publicField\(this, "(\w+)", /g, '(this.$1 = ')

/** A Rollup plugin that bundles rrweb's recorder as the recorder needs it. */
export const patchedRrweb = {
  name: 'patched-rrweb',
  transform(code, id) {
    if (!/@rrweb.record.dist.record\.js$/.test(id)) return null
    const patch = readFileSync(new URL('rrweb.patch', RECORDER), 'utf8')
    const [styleSheets, shown, clock] = ['styleSheets.ts', 'shown.ts', 'clock.ts'].map((file) =>
      JSON.stringify(fileURLToPath(new URL(file, RECORDER))),
    )
    return {
      code: `import { baseOf, importText, isImporting, ruleText, sourceOf } from ${styleSheets};import { shown } from ${shown};import { clock } from ${clock};${withoutFields(withoutEnums(withoutPassedOptions(withoutUnsetOptions(applyPatch(code, patch)))))}`,
      // The lines differ from the lines of rrweb.
      map: { mappings: '' },
    }
  },
}
