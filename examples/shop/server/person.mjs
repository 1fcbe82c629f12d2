import { createHash } from 'node:crypto'

const MOST_CHARACTERS = 80

const asField = (value) => (typeof value === 'string' ? value.trim().slice(0, MOST_CHARACTERS) : '')

/**
 * Returns the customer with this name and email. The id is a hash of the email: it is the same at every sign-in and
 * does not contain the email.
 */
export const personOf = (name, email) => {
  const address = asField(email).toLowerCase()
  if (!asField(name) || !/^\S+@\S+\.\S+$/.test(address)) return undefined
  return {
    id: `customer_${createHash('sha256').update(address).digest('hex').slice(0, 12)}`,
    name: asField(name),
    email: address,
  }
}

/** This is a demo: there is no password, and the cookie is trusted. A real shop has sessions on its server. */
export const personCookie = (person) => ({
  name: 'person',
  value: person ? Buffer.from(JSON.stringify([person.name, person.email])).toString('base64url') : '',
  days: 30,
})

export const readPerson = (cookie) => {
  if (!cookie) return undefined
  try {
    const [name, email] = JSON.parse(Buffer.from(cookie, 'base64url').toString('utf8'))
    return personOf(name, email)
  } catch {
    // Not our cookie: the visitor is not signed in.
    return undefined
  }
}
