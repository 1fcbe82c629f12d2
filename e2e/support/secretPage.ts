import type { Frame, Page } from 'playwright/test'

/** Twelve digits, which no part of a page contains by chance, for each place. */
export const createSecrets = () => {
  const known = new Map<string, string>()
  return {
    /** Replaces each `{place}` by the secret of that place, and remembers it. */
    fill: (template: string, stage: string) =>
      template.replace(/\{([\w-]+)\}/g, (_, place: string) => {
        const name = `${stage} ${place}`
        const secret = known.get(name) ?? String(Math.floor(7e11 + Math.random() * 2e11))
        known.set(name, secret)
        return secret
      }),
    /** Returns the places whose secret is in `sent`, as it is or in base64. */
    leaked: (sent: string, isWanted = (_place: string) => true) =>
      [...known].flatMap(([place, secret]) => {
        const forms = ['', '1', '12'].map((before) => btoa(before + secret).slice(before.length ? 4 : 0, 14))
        return isWanted(place) && [secret, ...forms].some((form) => sent.includes(form)) ? place : []
      }),
  }
}

/** Everything in a page that can hold a secret. Its places are named after rows of the checklist. */
export const SECRET_HTML = `
  ${[
    'text',
    'search',
    'password',
    'email',
    'tel',
    'url',
    'number',
    'hidden',
    'checkbox',
    'radio',
    'submit',
    'button',
    'reset',
    'unknown',
  ]
    .map(
      (type) =>
        `<input type="${type}" value="{input-${type}}" name="{name-${type}}" placeholder="{placeholder-${type}}">`,
    )
    .join('')}
  <textarea>{typed-textarea}</textarea>
  <select><optgroup label="{optgroup}"><option value="{option-value}" label="{option-label}" selected>{option-text}</option></optgroup></select>
  <datalist><option value="{datalist}"></datalist>
  <div contenteditable="true"><p>{typed-editor}</p></div><div role="textbox">{typed-textbox}</div>
  <output>{output}</output><meter value="{meter}"></meter><details><summary>{summary}</summary>{details}</details>
  <p title="{title}" aria-label="{aria}" data-id="{data-value}" id="user-{id}" class="c-{class} end-marker" data-{attribute-name}="x" name="{name}">{text}</p>
  <img alt="{alt}" src="/i/{img-src}.png?x={img-query}" srcset="/i/{srcset}.png 2x"><a href="/orders/{link-path}?q={link-query}#{link-hash}" ping="/{ping}">x</a>
  <form action="/{form-action}"><button formaction="/{formaction}" value="{button-value}">y</button></form>
  <blockquote cite="/{cite}"></blockquote><video poster="/{poster}" src="/{video}"></video><object data="/{object}"></object>
  <a href="data:text/plain,{data-url}">d</a><img src="data:image/svg+xml,%3Csvg%3E{svg-url}%3C/svg%3E"><a href="javascript:{javascript}">j</a>
  <iframe srcdoc="<p>{frame-text}</p>"></iframe><iframe src="/{frame-src}"></iframe>
  <svg><title>{svg-title}</title><text>{svg-text}</text><foreignObject><p>{svg-foreign}</p></foreignObject><use href="/s.svg#{svg-use}"/></svg>
  <!-- {comment} --><script type="application/ld+json">{"a":"{json-ld}"}</script><template><p>{template}</p></template><noscript>{noscript}</noscript>
  <style>.a::after { content: "{css-content}"; background: url(/{css-url}) } :root { --name: "{css-variable}" } /* {css-comment} */ .u-{css-class} {color: red}</style>
  <p style="--x: '{style-variable}'; background: url('/{style-url}')">s</p>
  <dialog open>{dialog}</dialog><div popover>{popover}</div><my-card user="{custom-attribute}">{custom-text}</my-card>
  <div class="host"><template shadowrootmode="open">{shadow-root}<p>{shadow-text}</p><input value="{shadow-input}"></template><b>{slotted}</b></div>
  <div><template shadowrootmode="closed"><p>{shadow-closed}</p></template></div><canvas class="canvas"></canvas>`

/** Does with a page what people and scripts do, with the same places in other ways. */
export const live = (page: Page | Frame, html: string, secret: (place: string) => string) =>
  page.evaluate(
    async ([html, ...all]) => {
      const [typed, property, moved, attribute, rule, adopted, shadow, url, log, body, drawn, title] = all
      const later = document.createElement('section')
      later.innerHTML = html!
      document.body.append(later)
      const input = document.querySelector('input')!
      input.value = property!
      input.setAttribute('value', attribute!)
      input.dispatchEvent(new Event('input', { bubbles: true }))
      for (const each of ['title', 'aria-label', 'alt', 'placeholder', 'href', 'style', 'class', 'data-x', 'value'])
        for (const element of document.querySelectorAll('p, a, option'))
          element.setAttribute(each, each === 'style' ? `--y: "${attribute}"` : `c${attribute}`)
      document.querySelector('[contenteditable]')!.textContent = typed!
      document.querySelector('textarea')!.value = typed!
      document.querySelector('textarea')!.dispatchEvent(new Event('input', { bubbles: true }))
      const password = document.querySelector<HTMLInputElement>('input[type="password"]')!
      password.value = property!
      password.type = 'text'
      password.replaceWith(password.cloneNode(true))
      const text = document.createElement('i')
      text.textContent = moved!
      document.body.append(text)
      document.querySelector('dialog')!.append(text)
      document.styleSheets[0]!.insertRule(`.z::before { content: "${rule}" }`)
      ;(document.styleSheets[0]!.cssRules[0] as CSSStyleRule).style.setProperty('--q', `"${rule}"`)
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(`.w::after { content: "${adopted}" }`)
      document.adoptedStyleSheets = [sheet]
      const root = document
        .querySelector('section')!
        .appendChild(document.createElement('div'))
        .attachShadow({ mode: 'open' })
      root.append(shadow!)
      root.append(Object.assign(document.createElement('p'), { textContent: shadow }))
      history.pushState({}, '', `/users/${url}?token=${url}#${url}`)
      document.title = title!
      console.log(log, { value: log }, new Error(log), [log])
      console.error('%s', log)
      await fetch(`/api/${body}?q=${body}`, {
        method: 'POST',
        body: JSON.stringify({ body }),
        headers: { 'x-id': body! },
      }).catch(() => {})
      const xhr = new XMLHttpRequest()
      xhr.open('POST', `/api/${body}`)
      xhr.setRequestHeader('authorization', body!)
      await new Promise((done) => ((xhr.onloadend = done), xhr.send(`a=${body}`)))
      const canvas = document.querySelector('canvas')!
      canvas.getContext('2d')!.fillText(drawn!, 10, 20)
      const selection = getSelection()!
      selection.selectAllChildren(document.querySelector('section p')!)
    },
    [
      html,
      ...[
        'typed',
        'property',
        'moved',
        'attribute',
        'rule',
        'adopted',
        'shadow',
        'url',
        'log',
        'body',
        'drawn',
        'title',
      ].map(secret),
    ],
  )
