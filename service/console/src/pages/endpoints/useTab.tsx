import { SERVICE_URL } from '../../api/client.ts'
import { useProject } from '../../project.ts'
import { Code } from '../../ui/copy.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { variablesOf } from '../../ui/sqlEditor/sqlVariables.ts'
import { initialText, toVariableValue, useVariables } from '../../ui/sqlEditor/useVariables.ts'
import { ChartSnippet } from './chartSnippet.tsx'
import { isSql, textOfQuery, type TabProps } from './endpointApi.ts'
import { RunTokenForm } from './runTokenForm.tsx'
import { curlOf, type SnippetInput, typeScriptOf, typesOf } from './snippets.ts'

const SAMPLES: Readonly<Record<string, string>> = { Number: '1', Boolean: 'true', Date: '2026-01-31' }

/** How programs run the endpoint: commands and code to copy, and tokens for pages. */
export const UseTab = ({ endpoint }: TabProps) => {
  const { id } = useProject()
  const { data } = useVariables()
  const names = isSql(endpoint) ? variablesOf(textOfQuery(endpoint.query)) : []
  const variables = Object.fromEntries(
    names.map((name) => {
      const variable = data?.find(({ code_name }) => code_name === name)
      const type = variable?.type ?? 'String'
      return [name, toVariableValue(type, initialText(variable) || (SAMPLES[type] ?? ''))]
    }),
  )
  const input: SnippetInput = { serviceUrl: SERVICE_URL, projectId: id, name: endpoint.name, variables }
  return (
    <div class="stack">
      <Card title="Command line">
        <div class="stack">
          <p class="muted">
            Put a personal API key with the scope <code>endpoint:read</code> into <code>TRAILMARK_KEY</code>.
          </p>
          <Code label="Command with curl" text={curlOf(input)} />
        </div>
      </Card>
      <Card title="TypeScript">
        <div class="stack">
          <p class="muted">
            Write the types of your endpoints, then run them with their names, variables and columns checked.
          </p>
          <Code label="Command for the types" text={typesOf(input)} />
          <Code label="TypeScript" text={typeScriptOf(input)} />
        </div>
      </Card>
      <ChartSnippet name={endpoint.name} variables={variables} />
      <Card title="From a page">
        <RunTokenForm name={endpoint.name} variables={names} />
      </Card>
    </div>
  )
}
