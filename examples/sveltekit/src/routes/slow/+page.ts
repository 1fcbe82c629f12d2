export const load = () => new Promise<void>((done) => setTimeout(done, 3000))
