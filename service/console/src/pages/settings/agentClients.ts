/** What a client of agents needs. */
interface Access {
  /** Address of the service's `/mcp`. */
  readonly address: string
  /** URL of the service. */
  readonly serviceUrl: string
  /** The key. Absent: the text shows where it belongs. */
  readonly key?: string
}

/** A client of agents, and the text that connects it. */
export interface AgentClient {
  readonly name: string
  readonly label: string
  /** Where the text belongs. */
  readonly place: string
  readonly text: (access: Access) => string
}

const json = (value: object) => JSON.stringify(value, null, 2)

const forShell = (text: string) => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/**
 * How clients connect, see docs/guides/agents.md. Files that people share have a reference to the key, the others the key
 * itself.
 */
export const AGENT_CLIENTS: readonly AgentClient[] = [
  {
    name: 'claude-code',
    label: 'Claude Code',
    place: 'Run in a terminal:',
    text: ({ address, key = '$TRAILMARK_API_KEY' }) =>
      `claude mcp add --transport http trailmark ${forShell(address)} --header "Authorization: Bearer ${key}"`,
  },
  {
    name: 'cursor',
    label: 'Cursor',
    place: 'In .cursor/mcp.json, with the key in the environment:',
    text: ({ address }) =>
      json({
        mcpServers: {
          trailmark: { url: address, headers: { Authorization: 'Bearer ${env:TRAILMARK_API_KEY}' } },
        },
      }),
  },
  {
    name: 'vs-code',
    label: 'VS Code',
    place: 'In .vscode/mcp.json. VS Code asks for the key:',
    text: ({ address }) =>
      json({
        inputs: [{ type: 'promptString', id: 'trailmark-key', description: 'Trailmark API key', password: true }],
        servers: {
          trailmark: {
            type: 'http',
            url: address,
            headers: { Authorization: 'Bearer ${input:trailmark-key}' },
          },
        },
      }),
  },
  {
    name: 'claude-desktop',
    label: 'Claude Desktop',
    place: 'In claude_desktop_config.json, where the command trailmark is installed:',
    text: ({ address, serviceUrl, key = 'tmk_…' }) =>
      json({
        mcpServers: {
          trailmark: {
            command: 'trailmark',
            args: ['mcp'],
            env: {
              TRAILMARK_URL: address === `${serviceUrl}/mcp` ? serviceUrl : address,
              TRAILMARK_API_KEY: key,
            },
          },
        },
      }),
  },
]
