/** The style of the toolbar. Sizes are px, because `rem` is the page's. */
const CSS = `
:host{--back:#fff;--text:#101828;--subtle:#475467;--line:#868b96;--focus:#1d4ed8;--accent:#1d4ed8;--on-accent:#fff;--soft:#eef1f6;--good:#0a6b35;--fair:#8a4b00;--poor:#b42318}
@media (prefers-color-scheme:dark){:host{--back:#16181d;--text:#f5f6f8;--subtle:#b9bdc7;--line:#8b8f99;--focus:#93b4ff;--accent:#93b4ff;--on-accent:#101828;--soft:#252932;--good:#6fdc9a;--fair:#f5b95f;--poor:#ff9a8f}}
*{box-sizing:border-box;font:inherit;color:inherit;letter-spacing:normal}
[hidden]{display:none!important}
.dock{position:fixed;display:flex;flex-direction:column;gap:6px;width:min(376px,100vw - 16px);font:14px/1.45 system-ui,sans-serif;color:var(--text);pointer-events:none;text-align:start}
.dock>*{pointer-events:auto}
.dock.low{flex-direction:column-reverse}
.dock.start{inset-block-end:8px;inset-inline-end:8px}
.bar{display:flex;align-items:center;justify-content:space-between;gap:2px;padding:4px;border:1px solid var(--line);border-radius:10px;background:var(--back);box-shadow:0 4px 16px rgba(0,0,0,.25)}
.icon{flex:none;width:36px;height:36px;padding:8px;border:0;border-radius:7px;background:none;cursor:pointer}
.icon:hover,.icon[aria-expanded=true],.icon[aria-pressed=true]{background:var(--soft)}
.icon[aria-expanded=true],.icon[aria-pressed=true]{box-shadow:inset 0 -2px var(--accent)}
.icon svg{display:block;width:20px;height:20px}
.grip{cursor:grab;touch-action:none}
.panel{display:flex;flex-direction:column;max-height:var(--panel-height,60vh);border:1px solid var(--line);border-radius:10px;background:var(--back);box-shadow:0 4px 16px rgba(0,0,0,.25);overflow:hidden}
.panel header{display:flex;align-items:center;justify-content:space-between;flex:none;padding:4px 4px 4px 12px;border-bottom:1px solid var(--soft)}
.content{overflow:auto;padding:12px;display:flex;flex-direction:column;gap:10px;overflow-wrap:anywhere}
h2,h3,strong,th,dt{font-weight:600}
h2,h3,p,ul,ol,dl,dd,pre{margin:0;padding:0}
ul:not(.list){padding-inline-start:18px}
.list{list-style:none;display:flex;flex-direction:column}
.list>li{padding:8px 0;border-top:1px solid var(--soft);display:flex;flex-direction:column;gap:6px}
.row{display:flex;justify-content:space-between;gap:8px;flex-wrap:wrap}
.button{display:inline-block;align-self:flex-start;min-height:32px;padding:5px 12px;border:1px solid var(--line);border-radius:7px;background:var(--back);text-decoration:none;cursor:pointer}
.button:hover{background:var(--soft)}
.button[aria-pressed=true]{background:var(--accent);color:var(--on-accent);border-color:var(--accent)}
.message{flex:1;padding:0 8px}
.field{display:flex;align-items:center;justify-content:space-between;gap:8px}
input[type=search],select{flex:0 1 210px;min-width:0;min-height:32px;padding:4px 8px;border:1px solid var(--line);border-radius:7px;background:var(--back)}
input[type=checkbox]{width:16px;height:16px;margin:0;vertical-align:-2px;accent-color:var(--accent)}
label:has([type=checkbox]){display:block;min-height:24px}
code,pre,dd{font-family:ui-monospace,monospace;font-size:12px}
pre,dd{white-space:pre-wrap}
pre{padding:6px 8px;border-radius:6px;background:var(--soft)}
.values{display:flex;flex-direction:column;gap:6px}
dt,.source,time,.waiting,.delivered{color:var(--subtle);font-size:12px}
.source{font-weight:400}
summary{min-height:24px;cursor:pointer}
details>:not(summary){margin-top:6px}
table{width:100%;border-collapse:collapse}
th,td{padding:6px 4px;border-bottom:1px solid var(--soft);text-align:start}
abbr{text-decoration:none}
.good{color:var(--good)}.fair,.warning{color:var(--fair)}.poor,.dropped{color:var(--poor)}
.overlay{position:fixed;inset:0;pointer-events:none;overflow:hidden}
.overlay canvas{position:absolute;inset:0;width:100%;height:100%}
.frame{position:absolute;outline:2px solid #1d4ed8;box-shadow:0 0 0 4px rgba(255,255,255,.8);background:rgba(29,78,216,.15)}
.count{position:absolute;transform:translate(-100%,0);padding:0 5px;border-radius:8px;background:#101828;color:#fff;font:11px/16px system-ui,sans-serif}
.sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.content:focus-visible{outline-offset:-2px}
@media (pointer:coarse){.icon{width:44px;height:44px;padding:12px}.button,select,input[type=search]{min-height:44px;font-size:16px}}
@media (max-width:340px){.icon{width:34px;height:34px;padding:7px}}
@media (forced-colors:active){.icon[aria-expanded=true],.icon[aria-pressed=true]{outline:2px solid Highlight}.frame{outline-color:Highlight}}
@media print{.dock,.overlay{display:none}}
`

let sheet: CSSStyleSheet | undefined

/** Styles a shadow root. A constructed style sheet needs no permission by a content security policy. */
export const addStyles = (root: ShadowRoot): void => {
  try {
    if (!sheet) {
      sheet = new CSSStyleSheet()
      sheet.replaceSync(CSS)
    }
    root.adoptedStyleSheets = [sheet]
  } catch {
    // Safari before 16.4 has no constructed style sheets.
    const style = document.createElement('style')
    style.textContent = CSS
    root.prepend(style)
  }
}
