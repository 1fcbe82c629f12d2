export { durable } from '../../client/features/durable/durable'
