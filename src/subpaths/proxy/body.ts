/** Reads the body of a request. `undefined`: it is larger than `maxBytes`. */
export const readBody = async (request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  if (Number(request.headers.get('content-length')) > maxBytes) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader!.read()) {
    chunks.push(read.value)
    size += read.value.byteLength
    if (size > maxBytes) {
      void reader!.cancel().catch(() => undefined)
      return undefined
    }
  }
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.byteLength
  }
  return body
}
