export const loader = () => new Promise<null>((done) => setTimeout(done, 3000, null))

export const meta = () => [{ title: 'Slow' }]

export default function Slow() {
  return <h1>Slow</h1>
}
