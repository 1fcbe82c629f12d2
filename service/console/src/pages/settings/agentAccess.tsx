import { useState } from 'preact/hooks'
import { SERVICE_URL } from '../../api/client.ts'
import { Code } from '../../ui/copy.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AGENT_CLIENTS } from './agentClients.ts'

/** Scopes with which an agent reads what is not about single people. */
export const AGENT_SCOPES: readonly string[] = [
  'query:read',
  'endpoint:read',
  'feature_flag:read',
  'error_tracking:read',
]

/** How agents connect to the service. `secret`: the key of the agent. `projectId`: the project, for a key of all. */
export const AgentAccess = ({
  secret,
  projectId,
}: {
  readonly secret?: string | undefined
  readonly projectId?: number | undefined
}) => {
  const [name, setName] = useState(AGENT_CLIENTS[0]!.name)
  const { place, text } = AGENT_CLIENTS.find((each) => each.name === name)!
  const address = `${SERVICE_URL}/mcp${projectId === undefined ? '' : `?project_id=${projectId}`}`
  return (
    <Tabs label="Clients" tabs={AGENT_CLIENTS} current={name} onChange={setName}>
      <div class="stack">
        <p class="muted">{place}</p>
        <Code
          label="Configuration of the client"
          text={text({ address, serviceUrl: SERVICE_URL, ...(secret ? { key: secret } : {}) })}
          wraps
        />
      </div>
    </Tabs>
  )
}
