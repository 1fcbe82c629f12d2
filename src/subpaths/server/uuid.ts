/** Returns a UUIDv7: a random id that begins with the time, so that the service finds it quickly. */
export const uuidv7 = (): string => {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}
