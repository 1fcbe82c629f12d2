/** Default colors: on white, and on a dark background. */
const LIGHT = ['#0b5cad', '#c2560a', '#0a7d74', '#7a0c4c', '#8a6a00', '#4b3fae', '#b3261e', '#4a5560']
const DARK = ['#7cc0ff', '#f0a35e', '#4fd1c2', '#ff8ad0', '#ffdb66', '#b3a6ff', '#ff9a8f', '#b6c2cf']
const SYSTEM = ['LinkText', 'CanvasText', 'Highlight', 'GrayText']

const NAMES = ['background', 'text', 'muted', 'line', 'error', ...LIGHT.map((_, index) => `color-${index + 1}`)]

/** Sets the colors of a theme, unless the page sets them. */
const theme = (name: string, ...values: readonly string[]) =>
  `color-scheme:${name};${NAMES.map((each, index) => `--_${each}:var(--trailmark-${each},${values[index]!})`).join(';')}`
const dark = theme('dark', '#14181f', '#eef1f5', '#a7b0bc', '#303844', '#ff9a8f', ...DARK)
const system = ['Canvas', 'CanvasText', 'CanvasText', 'GrayText', 'CanvasText', ...SYSTEM, ...SYSTEM]
const colors = LIGHT.map((_, index) => `.c${index + 1}{--_color:var(--_color-${index + 1})}`).join('')

/** The style sheet of a chart. */
export const CSS = `
:host{${theme('light', '#fff', '#1b2028', '#59626f', '#e1e5ea', '#b3261e', ...LIGHT)};display:block;position:relative;font:var(--trailmark-font,14px/1.4 system-ui,sans-serif);color:var(--_text);background:var(--_background)}
:host([hidden]),[hidden]{display:none!important}
@media (prefers-color-scheme:dark){:host(:not([theme=light])){${dark}}}
:host([theme=dark]){${dark}}
@media (forced-colors:active){:host,:host([theme]),:host(:not([theme=light])){${NAMES.map((name, index) => `--_${name}:${system[index]!}`).join(';')}}svg,.swatch{forced-color-adjust:none}}
*{box-sizing:border-box}
.root{background:var(--_background);padding:var(--trailmark-padding,12px)}
.head,.days,.legend,label,li{display:flex;flex-wrap:wrap;gap:6px 12px;align-items:center}
.head{min-height:28px}
.title{font-weight:600;margin-inline-end:auto;overflow-wrap:anywhere}
label,.legend,.tip,.label,input{font-size:12px}
:is(input,summary,button){font:inherit;color:inherit;background:var(--_background);border:1px solid var(--_muted);border-radius:6px;padding:2px 8px;min-height:28px}
:focus-visible{outline:2px solid var(--_color-1);outline-offset:2px}
.plot,details{position:relative}
summary{list-style:none;cursor:pointer}
.menu,.tip{position:absolute;z-index:1;background:var(--_background);border:1px solid var(--_muted);border-radius:6px;padding:6px}
.menu{inset-inline-end:0;display:grid;gap:6px;margin-top:4px;white-space:nowrap}
.plot,.scroll{height:var(--trailmark-height,240px);margin-top:8px}
.scroll{height:auto;max-height:var(--trailmark-height,240px);overflow:auto}
svg{display:block;direction:ltr;overflow:hidden}
.grid{stroke:var(--_line);fill:none}
.rule{stroke:var(--_muted);stroke-dasharray:3 3;fill:none}
.label{fill:var(--_muted)}
.number{fill:var(--_text);font-size:var(--trailmark-number-size,44px);font-weight:600}
.line{stroke:var(--_color);stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round}
.area{fill:var(--_color);fill-opacity:.16}
.bar,.slice,.dot{fill:var(--_color)}
.slice,.dot{stroke:var(--_background);stroke-width:2}
.line.before,.line.again{stroke-dasharray:2 5}
.bar.before,.bar.again{fill-opacity:.55}
${colors}
ul{margin:8px 0 0;padding:0;list-style:none}
li{flex-wrap:nowrap;min-width:0;gap:6px}
.swatch{flex:none;width:10px;height:10px;border-radius:3px;background:var(--_color)}
.swatch.again{opacity:.55}
.name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;max-width:24ch;unicode-bidi:plaintext}
.tip{top:0;left:0;pointer-events:none;max-width:280px}
.tip ul{margin:2px 0 0}
b{margin-inline-start:auto;white-space:nowrap}
.status{margin:8px 0 0;color:var(--_muted);overflow-wrap:anywhere}
.error{color:var(--_error)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:4px 8px;border-bottom:1px solid var(--_line);text-align:start;max-width:32ch;overflow-wrap:anywhere}
th{font-weight:400}
thead th{position:sticky;top:0;background:var(--_background);color:var(--_muted)}
.figure{text-align:end;white-space:nowrap}
`

const sheets = new WeakMap<Document, CSSStyleSheet>()

/** Gives a shadow root the style sheet, which all charts of a document share and which no content policy blocks. */
export const adoptStyles = (root: ShadowRoot): void => {
  const { ownerDocument } = root
  const view = ownerDocument.defaultView
  if (!view || !('adoptedStyleSheets' in root)) return
  let sheet = sheets.get(ownerDocument)
  if (!sheet) {
    sheet = new view.CSSStyleSheet()
    sheet.replaceSync(CSS)
    sheets.set(ownerDocument, sheet)
  }
  root.adoptedStyleSheets = [sheet]
}
