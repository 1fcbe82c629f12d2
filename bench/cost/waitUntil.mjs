/** Waits until `holds()` returns true, or until `longestMs` have passed. */
export const waitUntil = async (holds, longestMs) => {
  const end = Date.now() + longestMs
  while (!holds() && Date.now() < end) await new Promise((done) => setTimeout(done, 50))
}
