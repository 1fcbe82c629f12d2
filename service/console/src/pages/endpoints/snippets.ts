const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A run of an endpoint in the form that programs send. */
export interface SnippetInput {
  readonly serviceUrl: string
  readonly projectId: number
  readonly name: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Returns a curl command that runs an endpoint. It reads the key from the environment. */
export const curlOf = ({ serviceUrl, projectId, name, variables }: SnippetInput): string =>
  [
    `curl -X POST ${quoteForShell(`${serviceUrl}/api/projects/${projectId}/endpoints/${encodeURIComponent(name)}/run`)}`,
    `  -H "Authorization: Bearer $TRAILMARK_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoteForShell(JSON.stringify({ variables }))}`,
  ].join(' \\\n')

/** Returns a command that writes the TypeScript types of a project's endpoints. */
export const typesOf = ({ serviceUrl, projectId }: SnippetInput): string =>
  `curl -H "Authorization: Bearer $TRAILMARK_KEY" \\\n  ${quoteForShell(`${serviceUrl}/api/projects/${projectId}/endpoints/types.ts`)} > endpoints.ts`

/** Returns a TypeScript program that runs an endpoint. */
export const typeScriptOf = ({ serviceUrl, projectId, name, variables }: SnippetInput): string =>
  `import { createEndpoints } from 'trailmark/endpoints'
import type { Endpoints } from './endpoints.js'

const endpoints = createEndpoints<Endpoints>({
  host: ${JSON.stringify(serviceUrl)},
  projectId: ${projectId},
  personalApiKey: process.env.TRAILMARK_KEY!,
})

const { rows } = await endpoints.run(${JSON.stringify(name)}, ${JSON.stringify(variables)})`
