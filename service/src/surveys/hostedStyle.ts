/** Style of the page of hosted surveys. Outside a shadow root, the SDK adds no style to the form. */
export const HOSTED_STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --accent: #1d4ed8; --on-accent: #fff; --line: #767676 }
@media (prefers-color-scheme: dark) { :root { --accent: #93c5fd; --on-accent: #0b1220; --line: #9a9a9a } }
* { box-sizing: border-box }
body { margin: 0; padding: clamp(1rem, 6vh, 4rem) 1rem }
main { max-width: 36rem; margin: 0 auto; overflow-wrap: anywhere }
h1 { font-size: 1.4rem }
h2, h3, label.survey-question { display: block; font-size: 1.25rem; font-weight: 600; margin: 0 0 .25rem }
fieldset { border: 0; padding: 0; margin: .75rem 0; display: grid; gap: .5rem }
fieldset label { display: block; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer }
.response-choice { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center }
textarea, input[type=text] { width: 100%; min-height: 2.75rem; padding: .6rem; font: inherit; border: 1px solid var(--line); border-radius: .5rem }
textarea { min-height: 7rem; margin: .75rem 0 }
.rating-options-number, .rating-options-emoji, .rating-options-emoji-2 { display: flex; flex-wrap: wrap; gap: .4rem; margin: .75rem 0 .25rem }
.rating-options button { min-width: 2.75rem; min-height: 2.75rem; padding: .4rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer }
.rating-options button svg { width: 2rem; height: 2rem; fill: currentColor }
.rating-options .rating-active { background: var(--accent); color: var(--on-accent); border-color: var(--accent) }
.rating-text { display: flex; justify-content: space-between; gap: 1rem; font-size: .9rem }
.bottom-section { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-top: 1rem }
.form-submit, .form-back { display: inline-block; min-height: 2.75rem; padding: .6rem 1.2rem; font: inherit; text-decoration: none; border: 1px solid var(--accent); border-radius: .5rem; cursor: pointer }
.form-submit { background: var(--accent); color: var(--on-accent) }
.form-back { background: transparent; color: inherit }
.form-submit[disabled] { opacity: .6; cursor: not-allowed }
.form-cancel { display: none }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`
