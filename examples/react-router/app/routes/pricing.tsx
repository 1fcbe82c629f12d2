export const meta = () => [{ title: 'Pricing' }]

export default function Pricing() {
  return <h1>Pricing</h1>
}
