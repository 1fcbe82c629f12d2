import { html } from '../server/html.mjs'
import { personCookie, personOf } from '../server/person.mjs'

const signInForm = ({ name = '', email = '', wrong = false }) => ({
  title: 'Sign in',
  status: wrong ? 422 : 200,
  body: html` <div class="narrow block">
    <header class="heading">
      <h1>Sign in</h1>
      <p class="lead">
        Any name will do. From then on your visits belong to one person, on every device you sign in on.
      </p>
    </header>
    ${wrong && html`<p class="notice" role="alert">It takes a name, and an email address such as you@example.com.</p>`}
    <form method="post" action="/sign-in" class="fields">
      <label>Name <input name="name" id="name" required maxlength="80" autocomplete="name" value="${name}" /></label>
      <label
        >Email
        <input name="email" id="email" type="email" required maxlength="80" autocomplete="email" value="${email}"
      /></label>
      <p><button class="button" id="sign-in">Sign in</button></p>
    </form>
  </div>`,
})

export const signInPage = ({ person }) => (person ? { redirect: '/account' } : signInForm({}))

export const signIn = ({ form }) => {
  const name = form.get('name') ?? ''
  const email = form.get('email') ?? ''
  const person = personOf(name, email)
  return person ? { redirect: '/account', cookies: [personCookie(person)] } : signInForm({ name, email, wrong: true })
}

export const accountPage = ({ person }) => {
  if (!person) return { redirect: '/sign-in' }
  // shop.js identifies the visitor from these.
  return {
    title: 'Your account',
    body: html` <div
      class="narrow block"
      id="account"
      data-person="${person.id}"
      data-traits="${JSON.stringify({ name: person.name, email: person.email })}"
    >
      <header class="heading">
        <p class="eyebrow">Signed in</p>
        <h1>Hello, ${person.name.split(' ')[0]}</h1>
      </header>
      <dl class="facts">
        <div>
          <dt>Name</dt>
          <dd>${person.name}</dd>
        </div>
        <div>
          <dt>Email</dt>
          <dd>${person.email}</dd>
        </div>
        <div>
          <dt>Known to analytics as</dt>
          <dd><code>${person.id}</code></dd>
        </div>
      </dl>
      <form method="post" action="/sign-out" data-reset>
        <p class="actions">
          <a class="button" href="/">To the shelves</a> <button class="button quiet" id="sign-out">Sign out</button>
        </p>
      </form>
    </div>`,
  }
}

export const signOut = () => ({ redirect: '/', cookies: [personCookie(undefined)] })
