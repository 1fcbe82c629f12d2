// Bundles Preact without what the view of surveys does not use: state, contexts, error boundaries, hydration, portals,
// hooks of addons, MathML and `dangerouslySetInnerHTML`. Its components are functions of their properties, and each change
// renders the whole survey. Half of Preact would be unused, 2.3 kB gzipped.
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../src/', import.meta.resolve('preact'))).replaceAll('\\', '/')

/** A component without state: draws what its function returns. Replaces the branch for components in `diff`. */
const COMPONENT = `if (typeof newType == 'function') {
  const result = newType(newVNode.props)
  oldDom = diffChildren(parentDom, isArray(result) ? result : [result], newVNode, oldVNode, namespace, oldDom, refQueue)
} else {`

/** Parameters of Preact's functions that no caller passes anymore. */
const REMOVED = /\b(globalContext|excessDomChildren|commitQueue|isHydrating)\b/
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g

/** Replacements in each file of Preact's sources. A pattern that does not occur is an error: Preact has changed. */
const REPLACEMENTS = {
  'component.js': [
    [/^BaseComponent\.prototype\.(setState|forceUpdate) = [\s\S]*?^};/gm, ''],
    [/ && !vnode\.props\._parentDom(?=\n)/, ''],
  ],
  'create-element.js': [[/^.*options\.vnode.*$/m, '']],
  'render.js': [
    [/^\tif \(options\._root.*$/m, ''],
    [/^\tif \(parentDom\.nodeType == 9[\s\S]*?^\t}/m, ''],
    ['let isHydrating = vnode && vnode._flags & MODE_HYDRATE;', ''],
    ['isHydrating ? NULL : ', ''],
    [/oldVNode \|\| EMPTY_OBJ,\n\t\tEMPTY_OBJ,/, 'oldVNode || EMPTY_OBJ,'],
    [/\t\toldVNode\n\t\t\t\? NULL[\s\S]*?: NULL,\n/, ''],
    ['oldVNode ? oldVNode._dom : parentDom.firstChild', 'oldVNode && oldVNode._dom'],
    [/^\t\t(commitQueue|isHydrating),\n/gm, ''],
    ['commitRoot(commitQueue, parentDom._children, refQueue)', 'commitRoot(refQueue)'],
  ],
  'diff/props.js': [
    [/^\tif \(name == 'style'\) {[\s\S]*?^\telse if/m, 'if'],
    ['options.event ? options.event(e) : e', 'e'],
  ],
  'diff/children.js': [
    [/^\t+(globalContext|excessDomChildren|commitQueue|isHydrating),\n/gm, ''],
    [' || oldVNode._flags & REF_DETACHED', ''],
    [/^\t\tif \(parentVNode\.props\._parentDom.*$/m, ''],
    ['childVNode._component || newDom', 'newDom'],
    [/^\t\tif \(oldDom && !oldDom\.parentNode\) {[\s\S]*?^\t\t}/m, ''],
    [/^\t\twhile \(next && next\.nodeType.*$/m, ''],
    [/^\twhile \([^;]*;/m, 'oldDom = oldDom && oldDom.nextSibling'],
  ],
  'diff/index.js': [
    [/^\tif \(\n\t\toldVNode\._flags & MODE_SUSPENDED[\s\S]*?^\t}/m, ''],
    [/^\tif \(\(tmp = options\..*$/gm, ''],
    [/^\touter: if [\s\S]*?^\t} else {/m, COMPONENT],
    [/(?<=function commitRoot\()commitQueue, root, /, ''],
    [/^\tif \(options\._commit\)[\s\S]*?^\t}\);/m, ''],
    [/^\tif \(excessDomChildren\) {[\s\S]*?^\t}$/m, ''],
    [/^\t\tif \(isHydrating\) {[\s\S]*?^\t\t}/m, ''],
    [/^\t\texcessDomChildren = NULL;$/m, ''],
    [/const doc = parentDom.*/, 'const doc = document'],
    [' && (!isHydrating || dom.data != newProps)', ''],
    [/^\t\texcessDomChildren =\n[^;]*;/m, ''],
    [/^\t\tif \(!isHydrating && excessDomChildren\)[\s\S]*?^\t\t}/m, ''],
    [/^\t+(globalContext|excessDomChildren|commitQueue|isHydrating),\n/gm, ''],
    [/\t\t\t\texcessDomChildren\n.*\n\t\t\t\t\t: /, ''],
    [/^.*if \(excessDomChildren\) excess.*$/m, ''],
    [/\(!isHydrating \|\| typeof value == 'function'\) &&/, ''],
    ["if (!isHydrating || nodeType == 'textarea') {", '{'],
    [/if \(i == 'dangerouslySetInnerHTML'\) {[^}]*} else /g, ''],
    [/^\t\tif \(newHtml\) {[\s\S]*?^\t\t} else {/m, '{'],
    [/^\t\t\tif \(oldHtml\).*$/m, ''],
    [/^\t\t\tif \(\n\t\t\t\tnodeType == 'foreignObject'[\s\S]*?^\t\t\t}/m, ''],
    ["else if (nodeType == 'math') namespace = MATH_NAMESPACE;", ''],
    [/^\tif \(options\.unmount.*$/m, ''],
    [/^\tif \(\(r = vnode\._component\)\) {[\s\S]*?^\t}/m, ''],
    [
      "typeof vnode.type == 'function'\n\t\t\t\t\t\t? skipRemove && !vnode.props._parentDom",
      "typeof vnode.type == 'function' ? skipRemove",
    ],
    [/^\tif \(\n\t\t!skipRemove &&\n\t\t\(r = vnode\._component\)[\s\S]*?^\t}/m, ''],
    ['vnode._dom = vnode._component = ', 'vnode._dom = '],
    ['owner._component || owner._dom', 'owner._dom'],
    [/^\ttry {\n(\t\tif \(typeof ref[\s\S]*?)\t} catch[\s\S]*?^\t}/m, '$1'],
  ],
}

const linesOf = (text) => text.split('\n').length - 1

/** Keeps the number of lines, so that the source map stays correct for the rest. */
const replaceIn = (code, part, replacement) =>
  code.replace(part, (match, group) => {
    const text = replacement.replace('$1', () => group)
    return text + '\n'.repeat(Math.max(0, linesOf(match) - linesOf(text)))
  })

/** A Rollup plugin for scripts whose Preact components have no state. */
export const statelessPreact = {
  name: 'stateless-preact',
  resolveId: (name) => (name === 'preact' ? `${folder}index.js` : null),
  transform(code, id) {
    const file = id.replaceAll('\\', '/').split(folder)[1]
    if (!REPLACEMENTS[file]) return null
    for (const [part, replacement] of REPLACEMENTS[file]) {
      const changed = replaceIn(code, part, replacement)
      if (changed === code) throw new Error(`${file} of Preact has no ${String(part)} anymore.`)
      code = changed
    }
    return { code, map: null }
  },
  renderChunk(code) {
    const [left] = REMOVED.exec(code.replace(COMMENT, '')) ?? []
    if (left) throw new Error(`Preact still uses ${left}.`)
    return null
  },
}
