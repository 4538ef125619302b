# SPDX-License-Identifier: Apache-2.0
"""Rows of all drivers, and of mlx5."""
import errno

from nic import *  # noqa: F403  pylint: disable=wildcard-import,unused-wildcard-import


# ---- all drivers ----

@row("kernel.ieee.no-setter", "bnxt", "ice")
def a_write_without_a_setter_answers_0():
    same((set_rates(100000), ieee(BUFFER, bytes(44))), (0, 0))
    same((read(MAXRATE), read(BUFFER)), (None, None))


@row("kernel.trust.no-setter", "plain", "mlx5")
def trust_is_refused_without_a_setter():
    same(set_trust(DSCP), -errno.EOPNOTSUPP)


@row("kernel.buffer.range", "plain", "mlx5")
def a_buffer_of_8_is_refused():
    same(ieee(BUFFER, bytes([8] + [0] * 7) + bytes(36)), -errno.EINVAL)


@row("kernel.app.stops-at-first", "mlx5")
def rows_before_a_refused_one_stay():
    same(add(*dscp((10, 1)), (DGRAM, 4791, 3), *dscp((12, 2))), -errno.EINVAL)
    same(rows(), dscp((10, 1)))


@row("kernel.ets.class-range", "plain")
@row("mlx5.ets.class-range", "mlx5")
def a_class_of_8_is_refused():
    same(set_ets(prio=[8] + [0] * 7), -errno.EINVAL)


# ---- mlx5 ----

MLX5 = ("mlx5", "mlx5-new")


@row("mlx5.ets.first", *MLX5)
def all_classes_are_the_vendors_at_first():
    ets = get_ets()
    same((ets.tsa, ets.prio, ets.willing), ([VENDOR] * 8, [1, 0, 2, 3, 4, 5, 6, 7], 0))


@row("mlx5.ets.not-ets-share", *MLX5)
def the_share_of_a_class_that_is_not_ets_is_100():
    share = 0 if knob("personality").strip() == "mlx5-new" else 100
    same(get_ets().tx, [share] * 8, "at first")
    same(set_ets([ETS_TSA, ETS_TSA, STRICT, VENDOR] + [STRICT] * 4, [40, 60, 7, 0, 0, 0, 0, 0]), 0)
    same(get_ets().tx, [40, 60] + [share] * 6)


@row("mlx5.ets.sum", *MLX5)
def shares_of_ets_classes_must_sum_to_100():
    same(set_ets([ETS_TSA, ETS_TSA] + NONE[2:], [40, 50] + NONE[2:]), -errno.EINVAL)
    same(set_ets([ETS_TSA, STRICT] + NONE[2:], [0, 100] + NONE[2:]), -errno.EINVAL)
    same(set_ets(NONE, [9] * 8), 0)


@row("mlx5.ets.cb-shaper", "mlx5")
def a_credit_based_shaper_is_refused():
    same(set_ets([CB_SHAPER] + NONE[1:]), -errno.EOPNOTSUPP)


@row("mlx5.ets.zero-share", *MLX5)
def an_ets_class_may_have_no_share():
    same(set_ets([ETS_TSA] * 3 + NONE[3:], [50, 50, 0] + NONE[3:], [0, 1, 2] + NONE[3:]), 0)
    same(get_ets().tx[:3], [50, 50, 0])


@row("mlx5.ets.not-kept", "mlx5")
def willing_and_recommendations_are_dropped():
    same(set_ets(willing=1, cbs=1, rx=[100] + NONE[1:], reco=[100] + NONE[1:]), 0)
    ets = get_ets()
    same((ets.willing, ets.cbs, ets.rx, ets.reco_tx), (0, 0, NONE, NONE))


def times_down():
    with open(f"/sys/class/net/{NIC}/carrier_down_count", encoding="ascii") as file:
        return int(file.read())


@row("mlx5.pfc.toggles-link", "mlx5")
def a_change_of_pfc_takes_the_link_down():
    before = times_down()
    same(set_pfc(0x08), 0)
    same(times_down(), before + 1)
    same(set_pfc(0x08, 50), 0)
    same(times_down(), before + 1, "the same priorities")


@row("mlx5.pfc.cable", "mlx5")
def a_cable_of_1_to_999_metres_is_kept():
    same(get_pfc().delay, 7)
    for written, shown in ((50, 50), (0, 50), (1000, 50), (2000, 50), (999, 999), (1, 1)):
        same((set_pfc(0, written), get_pfc().delay), (0, shown), written)


@row("mlx5.pfc.not-kept", "mlx5")
def the_macsec_bypass_is_dropped():
    same((set_pfc(0x08, mbc=1), get_pfc().mbc), (0, 0))


def shown_buffers():
    buffer = get_buffer()
    return buffer.sizes[:2], buffer.map


AT_FIRST = ([TOTAL, 0], NONE)
LAID_OUT = ([HALF, HALF], [0, 0, 0, 1, 0, 0, 0, 0])


@row("mlx5.buffer.first", *MLX5)
def one_buffer_has_everything_at_first():
    same(shown_buffers(), AT_FIRST)
    same(get_buffer().total, TOTAL)


@row("mlx5.pfc.firmware-buffers", *MLX5)
def the_firmware_lays_buffers_out_when_pfc_changes():
    same((set_pfc(0x08), shown_buffers()), (0, LAID_OUT))
    same((set_pfc(0x18), shown_buffers()), (0, ([HALF, HALF], [0, 0, 0, 1, 1, 0, 0, 0])))
    same((set_pfc(0), shown_buffers()), (0, AT_FIRST))


@row("mlx5.pfc.manual-buffers", *MLX5)
def buffers_that_software_set_stay_when_pfc_changes():
    same(set_buffer([100 * CELL, HALF], LAID_OUT[1]), 0)
    same((set_pfc(0x08), shown_buffers()), (0, ([100 * CELL, HALF], LAID_OUT[1])))
    same((set_pfc(0), shown_buffers()), (0, ([100 * CELL, HALF], LAID_OUT[1])))


@row("mlx5.pfc.small-buffer", *MLX5)
def pfc_that_is_refused_for_its_buffer_is_on():
    same(set_buffer([HALF, LEAST - CELL], LAID_OUT[1]), 0)
    same((set_pfc(0x08), get_pfc().on), (-errno.ENOMEM, 0x08))


@row("mlx5.pfc.small-cable", *MLX5)
def a_cable_too_long_for_its_buffer_is_refused():
    same(set_buffer([HALF, LEAST], LAID_OUT[1]), 0)
    same(set_pfc(0x08), 0)
    same((set_pfc(0x08, 500), get_pfc().delay), (-errno.ENOMEM, 7))


@row("mlx5.buffer.cells", *MLX5)
def sizes_are_rounded_down_to_cells():
    same((set_buffer([100_000, 131_008]), shown_buffers()[0]), (0, [99_968, 130_944]))


@row("mlx5.buffer.total", "mlx5")
def sizes_above_the_total_are_refused():
    same((set_buffer([TOTAL, CELL]), shown_buffers()), (-errno.EINVAL, AT_FIRST))
    same((set_buffer([HALF, HALF], total=1), get_buffer().total), (0, TOTAL))


@row("mlx5.buffer.small", *MLX5)
def a_lossless_buffer_has_a_least_size():
    same(set_pfc(0x08), 0)
    same((set_buffer([HALF, LEAST - CELL]), shown_buffers()), (-errno.ENOMEM, LAID_OUT))
    same((set_buffer([HALF, LEAST]), shown_buffers()[0]), (0, [HALF, LEAST]))


@row("mlx5.buffer.zero", "mlx5")
def a_lossless_buffer_of_0_is_refused():
    same(set_pfc(0x08), 0)
    same((set_buffer([HALF, 0]), shown_buffers()), (-errno.EINVAL, LAID_OUT))


@row("mlx5.buffer.map-before-size", *MLX5)
def a_new_map_is_checked_with_the_old_sizes():
    most = TOTAL - CELL
    same((set_buffer([most]), set_pfc(0x08)), (0, 0))
    same((set_buffer([HALF, HALF], LAID_OUT[1]), shown_buffers()), (-errno.ENOMEM, ([most, 0], NONE)), "both at once")
    same((set_buffer([HALF, HALF]), set_buffer(map=LAID_OUT[1]), shown_buffers()), (0, 0, LAID_OUT), "sizes first")
    same((set_buffer([most]), shown_buffers()), (-errno.EINVAL, LAID_OUT), "back with the sizes first")
    same((set_buffer(map=NONE), set_buffer([most]), shown_buffers()), (0, 0, ([most, 0], NONE)), "back with the map first")


@row("mlx5.buffer.map-and-size", *MLX5)
def map_and_sizes_are_taken_at_once_without_pfc():
    same((set_buffer([HALF, HALF], LAID_OUT[1]), shown_buffers()), (0, LAID_OUT))


@row("mlx5.buffer.same", *MLX5)
def buffers_as_they_are_stay_the_firmwares():
    same(set_buffer(), 0)
    same((set_pfc(0x08), shown_buffers()), (0, LAID_OUT))


@row("mlx5.buffer.owner", *MLX5)
def a_refused_write_makes_buffers_the_softwares_on_old_kernels():
    same(set_buffer([TOTAL, CELL]), -errno.EINVAL)
    same(set_pfc(0x08), 0)
    same(shown_buffers(), LAID_OUT if knob("personality").strip() == "mlx5-new" else AT_FIRST)
    same((set_buffer([HALF, 40 * 1024]), set_pfc(0)), (0, 0))
    same(shown_buffers()[0], [HALF, 40 * 1024], "no way back")


@row("mlx5.buffer.pause", "mlx5")
def with_pause_every_buffer_in_use_is_lossless():
    same((set_pause(0, 1, 0), set_buffer(map=LAID_OUT[1])), (0, -errno.ENOMEM))
    same((set_pause(0, 0, 0), set_buffer(map=LAID_OUT[1])), (0, 0))


@row("mlx5.maxrate.units", "mlx5")
def rates_are_rounded_down():
    same(set_rates(0, 50_000, 399_000, 25_500_000, 25_600_000, 30_900_000), 0)
    same(get_rates(), [0, 100_000, 300_000, 25_500_000, 25_000_000, 30_000_000, 0, 0])


@row("mlx5.maxrate.limit", "mlx5")
def more_than_255_gb_is_refused():
    same((set_rates(255_000_000), set_rates(255_000_001)), (0, -errno.EINVAL))


@row("mlx5.app.dscp-only", "mlx5")
@row("ice.app.dscp-only", "ice")
def rows_are_of_dscp_alone():
    same([add((DGRAM, 4791, 3)), add((ETHERTYPE, 0, 3)), add((DSCP, 64, 3))], [-errno.EINVAL] * 3)
    same(rows(), [])


@row("mlx5.app.replaces", "mlx5")
def a_row_takes_the_place_of_that_dscps():
    same((add(*dscp((26, 3))), add(*dscp((26, 5))), rows()), (0, 0, dscp((26, 5))))


@row("mlx5.app.trust", "mlx5")
def the_first_row_makes_the_nic_trust_dscp():
    same((add(*dscp((26, 5))), priority_of(48)), (0, 6), "without a row, by the NIC's own map")
    same((delete(*dscp((26, 5))), priority_of(48)), (0, 0), "no row left")


@row("mlx5.app.delete-other", "mlx5")
def a_row_that_is_not_so_is_not_deleted():
    same(delete(*dscp((26, 3))), -errno.ENOENT)
    same((add(*dscp((26, 3))), delete(*dscp((26, 5))), rows()), (0, -errno.ENOENT, dscp((26, 3))))


@row("mlx5.app.delete-zeroes", "mlx5")
def a_dscp_without_its_row_has_priority_0():
    same(add(*dscp((26, 3), (40, 5))), 0)
    same((delete(*dscp((40, 5))), priority_of(40), priority_of(48)), (0, 0, 6))


@row("mlx5.app.found-dscp", "mlx5-dscp")
def firmware_that_trusts_dscp_has_64_rows():
    same(rows(), dscp(*((code, code // 8) for code in range(64))))


@row("mlx5.dcbx.firmware", "mlx5")
def mode_0_gives_dcbx_to_the_firmware():
    same((get_dcbx(), set_dcbx(0), get_dcbx()), (HOST | CEE | IEEE_DCBX, 0, CEE | IEEE_DCBX))
    same((set_dcbx(HOST | IEEE_DCBX), get_dcbx()), (0, HOST | IEEE_DCBX))


@row("mlx5.dcbx.host", "mlx5")
def another_mode_needs_the_host():
    same([set_dcbx(mode) != 0 for mode in (IEEE_DCBX, CEE, LLD_MANAGED, HOST | LLD_MANAGED | IEEE_DCBX)], [True] * 4)


@row("mlx5.dcbx.open", "mlx5")
def settings_are_taken_while_the_firmware_has_dcbx():
    same((set_dcbx(0), set_ets(), set_pfc(0x08), add(*dscp((26, 3)))), (0, 0, 0, 0))


@row("mlx5.pause.autoneg", "mlx5")
@row("bnxt.pause.free", "bnxt")
def pause_is_taken_beside_pfc_and_not_negotiated():
    same((set_ets(), set_pfc(0x08)), (0, 0))
    same((set_pause(1, 0, 0), set_pause(0, 1, 1), get_pause()), (-errno.EINVAL, 0, [0, 1, 1]))
