import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AGENT_CLIENTS } from '../src/pages/settings/agentClients.ts'

const guide = readFileSync(resolve(__dirname, '../../../docs/guides/agents.md'), 'utf8')
const blocks = [...guide.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, text]) => text!.trim())

const serviceUrl = 'http://127.0.0.1:8000'

const valueOf = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text)

test.each(AGENT_CLIENTS.map((client) => [client.label, client] as const))(
  'the configuration for %s is that of the guide, which a test runs',
  (_, { text }) => {
    expect(blocks.map(valueOf)).toContainEqual(valueOf(text({ address: `${serviceUrl}/mcp`, serviceUrl })))
  },
)

test('only what people do not share has the key, and the address of a project is quoted', () => {
  const texts = AGENT_CLIENTS.map(({ text }) =>
    text({ address: `${serviceUrl}/mcp?project_id=2`, serviceUrl, key: 'tmk_secret' }),
  )
  expect(texts.map((text) => text.includes('tmk_secret'))).toEqual([true, false, false, true])
  for (const text of texts) expect(text).toContain('/mcp?project_id=2')
  expect(texts[0]).toContain(`'${serviceUrl}/mcp?project_id=2'`)
})
