import type { World } from '../base/world.ts'
import { resumableTag } from '../http/content-range.ts'
import type { Service } from '../http/service.ts'
import type { Job } from './job-folder.ts'
import type { LostResponse } from './job-notices.ts'
import type { Ask } from './request-queue.ts'

/** Journals requests before they are sent, and knows which responses are lost when the run ends: they have to be paid for again. */
export interface SentRequests {
  /** The service as one request uses it. */
  readonly serviceFor: (ask: Ask, on: SendSteps) => Service
  /** The response is kept, or there is none to lose. */
  readonly settled: (ask: Ask) => void
  /** The request failed for good; true when its response is lost. */
  readonly isLost: (ask: Ask, failureKind: string) => boolean
  readonly lost: () => readonly LostResponse[]
}

interface SendSteps {
  /** Resolves when the request may be sent. */
  readonly before: () => Promise<void>
  readonly sent: () => void
  /** The service responds with an archive or nothing. */
  readonly accepted: () => void
}

export function createSentRequests(
  world: Pick<World, 'clock'>,
  job: Pick<Job, 'sent'>,
  service: Service,
): SentRequests {
  // The requests whose response was lost, or is not there yet.
  const inFlight = new Map<Ask, LostResponse>()

  function serviceFor(ask: Ask, on: SendSteps): Service {
    return {
      ...service,
      async send(request, options) {
        await on.before()
        await job.sent(ask, new Date(world.clock.nowMs()).toISOString())
        inFlight.set(ask, 'unanswered')
        const answer = service.send(request, options)
        on.sent()
        const response = await answer
        const isBody = response.status === 200 || response.status === 206
        if (isBody)
          inFlight.set(ask, resumableTag(response.headers) === undefined ? 'no-validator' : 'no-bytes')
        else inFlight.delete(ask)
        if (isBody || response.status === 204) on.accepted()
        return response
      },
    }
  }

  function isLost(ask: Ask, failureKind: string): boolean {
    if (failureKind !== 'unavailable' || inFlight.get(ask) === 'unanswered') inFlight.delete(ask)
    return inFlight.has(ask)
  }

  return {
    serviceFor,
    settled: (ask) => {
      inFlight.delete(ask)
    },
    isLost,
    lost: () => [...inFlight.values()],
  }
}
