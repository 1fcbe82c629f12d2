/** The style of popovers and widgets, in their shadow roots. Sizes are px, because `rem` is the page's. */
const CSS = `
:host{all:initial;--back:#fff;--text:#020617;--subtle:#4d515c;--line:#76777b;--focus:#1d4ed8;
--ph-survey-background-color:var(--back);--ph-survey-border-color:var(--line);--ph-survey-text-primary-color:var(--text);--ph-survey-text-subtle-color:var(--subtle);
--ph-survey-submit-button-color:var(--text);--ph-survey-submit-button-text-color:var(--back);--ph-survey-rating-bg-color:var(--back);--ph-survey-rating-text-color:var(--text);
--ph-survey-rating-active-bg-color:var(--text);--ph-survey-rating-active-text-color:var(--back);--ph-survey-input-background:var(--back);--ph-survey-input-text-color:var(--text);
--ph-survey-outline-color:var(--focus);--ph-survey-z-index:2147483645;--ph-survey-max-width:300px;--ph-survey-box-padding:20px 24px 10px;
--ph-survey-box-shadow:0 4px 12px rgba(0,0,0,.2);--ph-survey-border-radius:10px;--ph-survey-disabled-button-opacity:.6;
--ph-survey-font-family:system-ui,sans-serif;--ph-widget-color:var(--text);--ph-widget-text-color:var(--back);--ph-widget-z-index:2147483645}
@media (prefers-color-scheme:dark){:host(:not([data-colors])){--back:#16181d;--text:#f5f6f8;--subtle:#b9bdc7;--line:#8b8f99;--focus:#93b4ff}}
*{box-sizing:border-box;font-family:inherit}
.ph-survey{position:fixed;z-index:var(--ph-survey-z-index);width:min(var(--ph-survey-max-width),100vw - 16px);max-height:calc(100vh - 16px);overflow:auto;
font:16px/1.4 var(--ph-survey-font-family);color:var(--ph-survey-text-primary-color);border-radius:var(--ph-survey-border-radius);box-shadow:var(--ph-survey-box-shadow)}
.survey-form{position:relative;margin:0;padding:var(--ph-survey-box-padding);background:var(--ph-survey-background-color);color:var(--ph-survey-text-primary-color);
border:1px solid var(--ph-survey-border-color);border-radius:var(--ph-survey-border-radius);text-align:start;overflow-wrap:break-word}
.form-cancel{position:absolute;inset-block-start:6px;inset-inline-end:6px;width:28px;height:28px;padding:8px;border:0;border-radius:50%;background:none;color:inherit;cursor:pointer}
.form-cancel svg{display:block;width:12px;height:12px}
h3,.survey-question{display:block;margin:0;padding-inline-end:16px;font-size:16px;font-weight:600}
.survey-question-description,.intro-screen-body,.thank-you-message-body{margin-top:6px;font-size:14px;color:var(--ph-survey-text-subtle-color)}
.question-container{display:flex;flex-direction:column;gap:12px}
textarea,input[type=text]{width:100%;padding:8px 10px;border:1px solid var(--ph-survey-border-color);border-radius:6px;background:var(--ph-survey-input-background);color:var(--ph-survey-input-text-color);font-size:14px;line-height:1.4}
::placeholder{color:inherit;opacity:.75}
fieldset{display:flex;flex-direction:column;gap:8px;margin:0;padding:0;border:0;min-width:0}
.choice{border:1px solid var(--ph-survey-border-color);border-radius:6px;background:var(--ph-survey-input-background);color:var(--ph-survey-input-text-color)}
.choice label{display:block;padding:8px 10px;font-size:14px;cursor:pointer}
.choice>input[type=text]{width:calc(100% - 20px);margin:0 10px 8px}
.response-choice{display:flex;gap:8px;align-items:flex-start}
.response-choice input{flex:none;width:16px;height:16px;margin:2px 0;accent-color:var(--ph-survey-submit-button-color)}
.rating-options{display:flex;flex-wrap:wrap;gap:4px}
.rating-options button{flex:1 1 28px;min-width:28px;min-height:36px;padding:2px;border:1px solid var(--ph-survey-border-color);border-radius:6px;background:var(--ph-survey-rating-bg-color);color:var(--ph-survey-rating-text-color);font-size:14px;cursor:pointer}
.rating-options-number:has(:nth-child(8)) button{flex-basis:14%}
.rating-options-emoji button{flex:1;border-color:transparent;fill:currentColor}
.rating-options svg{max-width:36px}
.rating-options .rating-active{background:var(--ph-survey-rating-active-bg-color);color:var(--ph-survey-rating-active-text-color);border-color:var(--ph-survey-rating-active-bg-color)}
.rating-text{display:flex;justify-content:space-between}
.rating-text,.validation-hint{font-size:12px;color:var(--ph-survey-text-subtle-color)}
.bottom-section{display:flex;gap:8px;margin-top:14px}
.form-submit,.form-back{flex:1;padding:8px 12px;border:1px solid transparent;border-radius:6px;font-size:14px;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;background:var(--ph-survey-submit-button-color);color:var(--ph-survey-submit-button-text-color)}
.form-back{flex:none;background:none;color:inherit;border-color:var(--ph-survey-border-color)}
.form-submit[disabled]{opacity:var(--ph-survey-disabled-button-opacity);cursor:not-allowed}
.intro-screen .form-submit,.thank-you-message .form-submit{width:100%;margin-top:14px}
.survey-progress,.footer-branding{display:block;margin-top:8px;font-size:12px;line-height:24px;text-align:center;color:var(--ph-survey-text-subtle-color);text-decoration:none}
.ph-survey-widget-tab{position:fixed;z-index:var(--ph-widget-z-index);padding:10px 12px;border:0;background:var(--ph-widget-color);color:var(--ph-widget-text-color);font:600 14px/1.2 var(--ph-survey-font-family);cursor:pointer}
.ph-survey-widget-tab.widget-tab-right,.ph-survey-widget-tab.widget-tab-left{top:50%;writing-mode:vertical-rl}
.widget-tab-right{right:0;transform:translateY(-50%);border-radius:6px 0 0 6px}
.widget-tab-left{left:0;transform:translateY(-50%) rotate(180deg);border-radius:6px 0 0 6px}
.widget-tab-top{top:0;left:50%;transform:translateX(-50%);border-radius:0 0 6px 6px}
.widget-tab-bottom{bottom:0;left:50%;transform:translateX(-50%);border-radius:6px 6px 0 0}
.widget-tab-button{bottom:30px;inset-inline-end:30px;border-radius:22px;min-height:44px}
.sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:2px solid var(--ph-survey-outline-color);outline-offset:2px}
@media (pointer:coarse){textarea,input[type=text]{font-size:16px}.form-cancel{width:44px;height:44px;padding:16px}.rating-options button,.form-submit,.form-back,.choice label{min-height:44px}}
@media (forced-colors:active){.form-submit{border:1px solid}.rating-options .rating-active{outline:2px solid Highlight}}
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
    style.setAttribute('data-ph-survey-style', '')
    style.textContent = CSS
    root.prepend(style)
  }
}
