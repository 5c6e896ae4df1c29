# SPDX-License-Identifier: Apache-2.0
"""From graphs of nodes to programs in DaphneDSL with named inputs."""
