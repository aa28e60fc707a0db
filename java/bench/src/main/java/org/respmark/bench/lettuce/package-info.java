/** Benchmarks of Lettuce. */
package org.respmark.bench.lettuce;
