// Through the prototype, where no element named `cookie` hides the property.
export const readCookies = (): string => Reflect.get<Document, 'cookie'>(Document.prototype, 'cookie', document)
export const writeCookie = (cookie: string) => void Reflect.set(Document.prototype, 'cookie', cookie, document)

/** Returns every domain that a cookie of this page can have, the widest first; '' is the host alone. */
export const domains = (): string[] => {
  const labels = location.hostname.split('.').slice(-8)
  // Cookies of an IP address or a single name (localhost) have no domain.
  if (labels.length < 2 || /^[\d.]+$|:/.test(location.hostname)) return ['']
  return [...labels.map((_, from) => `.${labels.slice(from).join('.')}`).reverse(), '']
}
