import { SERVICE_URL } from '../../api/client.ts'
import { Code } from '../../ui/copy.tsx'
import { Card } from '../../ui/pageHead.tsx'

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** Returns the markup of a chart. `variables`: those that the token does not pin. */
export const chartMarkup = (serviceUrl: string, name: string, variables: Readonly<Record<string, unknown>>): string => {
  const lines = [
    `endpoint="${attribute(name)}"`,
    'token-provider="/tokens/chart"',
    ...(Object.keys(variables).length ? [`variables="${attribute(JSON.stringify(variables))}"`] : []),
  ]
  return `<script async src="${attribute(serviceUrl)}/static/chart.js"></script>\n\n<trailmark-chart\n${lines.map((line) => `  ${line}`).join('\n')}\n></trailmark-chart>`
}

interface ChartSnippetProps {
  readonly name: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** How a page shows the endpoint as a chart. */
export const ChartSnippet = ({ name, variables }: ChartSnippetProps) => (
  <Card title="As a chart on a page">
    <div class="stack">
      <p class="muted">
        Your server returns a run token at <code>/tokens/chart</code>. Pin there what separates your customers, and
        remove it from <code>variables</code> here.
      </p>
      <Code label="Chart" text={chartMarkup(SERVICE_URL, name, variables)} />
    </div>
  </Card>
)
