import { capture, event, request } from './api.ts'
import type { RunningService } from './startService.ts'

/** Responses to honest clients while a service is under attack. */
export interface HonestResponses {
  /** Statuses of deliveries and flag requests. */
  readonly answers: readonly number[]
  /** Durations of health requests in ms, shortest first. */
  readonly health: readonly number[]
}

/**
 * Sends honest deliveries, flag and health requests, with `pauseMs` between two requests of a kind. Returns a function that
 * stops and resolves with the responses.
 */
export const startHonestClients = (service: RunningService, pauseMs = 100): (() => Promise<HonestResponses>) => {
  const answers: number[] = []
  const health: number[] = []
  let isOver = false
  const loop = async (each: () => Promise<void>) => {
    while (!isOver) {
      await each()
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  const flags = () =>
    request(`${service.url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ token: service.token, distinct_id: 'd' }),
    }).then(
      ({ status }) => status,
      () => 0, // the service closed the connection
    )
  const running = [
    loop(async () => void answers.push((await capture(service, event('honest'))).status)),
    loop(async () => void answers.push(await flags())),
    loop(async () => {
      const startedAt = performance.now()
      await request(`${service.url}/_health`)
      health.push(performance.now() - startedAt)
    }),
  ]
  return async () => {
    isOver = true
    await Promise.all(running)
    return { answers, health: health.sort((a, b) => a - b) }
  }
}
